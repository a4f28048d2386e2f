#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/pad.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/tile.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unary.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/core/session.h"

namespace strata::tests {

/// What a random graph knows of its inputs.
enum class InputRanks { known, some_open };

/// A random model without control flow: ops that move, cut, join and compute floats, for tests that
/// no stage changes what a model computes. Its values stay small.
class RandomGraph {
 public:
  /// Of floats of this type. The first axis of some inputs is the symbol N.
  explicit RandomGraph(unsigned seed, DatumType type = DatumType::f32,
                       InputRanks ranks = InputRanks::known)
      : random_(seed), type_(type), ranks_(ranks) {
    const Dim n = Dim::symbol("N");
    for (const std::vector<Dim>& dims :
         {std::vector<Dim>{n, 4, 1}, {3, n}, {2, 3, 4}, {1, 4}, {n}, {1, 1, 6}, {}})
      add_input(dims);
    const unsigned count = 4 + below(12);
    while (made_ < count) try_node();
    for (unsigned i = 0; i < 3; ++i)
      model_.add_output(cat("out", i), wires_[wires_.size() - 1 - i]);
    model_.add_output("out3", pick());
  }

  const TypedModel& model() const { return model_; }

  ValueList inputs(std::int64_t n) {
    std::uniform_real_distribution<float> uniform(-1, 1);
    ValueList out;
    for (const std::vector<Dim>& dims : input_dims_) {
      Shape shape;
      for (const Dim& dim : dims) shape.push_back(*dim.evaluate({{"N", n}}));
      MutableTensor values(DatumType::f32, shape);
      for (float& x : values.as<float>()) x = uniform(random_);
      out.push_back(cast(std::move(values).freeze(), type_));
    }
    return out;
  }

 private:
  unsigned below(std::size_t end) { return static_cast<unsigned>(random_() % end); }
  bool coin() { return below(2) == 0; }
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(below(static_cast<std::size_t>(last - first + 1)));
  }
  /// A late wire rather than an early one.
  OutletId pick() {
    const std::size_t back = std::min(below(wires_.size()), below(wires_.size()));
    return wires_[wires_.size() - 1 - back];
  }
  /// Throws: invalid_model when it is open.
  std::int64_t rank_of(OutletId wire) const {
    const ShapeFact& shape = model_.fact(wire).shape;
    check(shape.is_known(), "an open shape");
    return static_cast<std::int64_t>(shape.rank());
  }
  /// An axis of `rank`, from either end; one that is none of a scalar.
  std::int64_t axis_of(std::int64_t rank) { return rank == 0 ? 0 : between(-rank, rank - 1); }

  void add_input(const std::vector<Dim>& dims) {
    const std::string name = cat("in", wires_.size());
    const bool is_open = ranks_ == InputRanks::some_open && coin();
    wires_.push_back(model_.add_source(
        name, Fact::tensor(type_, is_open ? ShapeFact::open() : ShapeFact(dims))));
    input_dims_.push_back(dims);
  }
  /// A constant of one element, whose rank may exceed that of what it is used with.
  OutletId number(float value) {
    const Shape shape(below(2) * below(4), 1);
    const Tensor constant = Tensor::of<float>(shape, {value});
    return model_.constant(model_.unique_name("number"), cast(constant, type_));
  }
  OutletId integers(const std::vector<std::int64_t>& values) {
    return model_.constant(model_.unique_name("k"),
                           Tensor::vector<std::int64_t>(std::span(values)));
  }
  OutletIds wire(const TypedOp& op, const OutletIds& inputs) {
    return model_.wire(model_.unique_name("node"), op, inputs);
  }

  /// Adds a node, unless what came up for it does not fit.
  void try_node() {
    try {
      for (const OutletId made : node()) {
        const ShapeFact& shape = model_.fact(made).shape;
        const bool may_be_open = ranks_ == InputRanks::some_open;
        if (shape.is_open() ? !may_be_open : shape.rank() > 5) continue;
        wires_.push_back(made);
        ++made_;
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::invalid_model) throw;
    }
  }

  OutletIds node() {
    constexpr OutletIds (RandomGraph::*kKinds[])() = {
        &RandomGraph::computed, &RandomGraph::joined,   &RandomGraph::moved,
        &RandomGraph::ranked,   &RandomGraph::cut,      &RandomGraph::widened,
        &RandomGraph::reduced,  &RandomGraph::reshaped, &RandomGraph::scaled,
        &RandomGraph::activated};
    return (this->*kKinds[below(std::size(kKinds))])();
  }

  OutletIds computed() {
    constexpr UnaryOp kOps[] = {UnaryOp::neg, UnaryOp::tanh, UnaryOp::sigmoid, UnaryOp::abs};
    return wire(Unary{kOps[below(4)]}, {pick()});
  }
  OutletIds joined() {
    constexpr BinaryOp kOps[] = {BinaryOp::add, BinaryOp::sub, BinaryOp::mul, BinaryOp::max,
                                 BinaryOp::min};
    const OutletId a = pick(), b = coin() ? a : pick();
    switch (below(4)) {
      case 0:
        return wire(Concat{axis_of(rank_of(a))}, {a, b});
      case 1:
        return wire(MatMul{coin(), coin()}, {a, b});
      case 2:
        return wire(Select{}, {wire(Binary{BinaryOp::less}, {pick(), b})[0], a, b});
      default:
        return wire(Binary{kOps[below(5)]}, {a, b});
    }
  }
  OutletId of_two(BinaryOp op, OutletId a, OutletId b) { return wire(Binary{op}, {a, b})[0]; }
  /// With a number.
  OutletIds scaled() {
    constexpr BinaryOp kOps[] = {BinaryOp::add, BinaryOp::mul, BinaryOp::max, BinaryOp::min};
    constexpr float kNumbers[] = {0, 0.5F, 1, -1};
    const OutletId x = pick(), by = number(kNumbers[below(4)]);
    const BinaryOp op = kOps[below(4)];
    return {coin() ? of_two(op, x, by) : of_two(op, by, x)};
  }
  /// Functions as exporters write them out.
  OutletIds activated() {
    const OutletId x = pick();
    switch (below(4)) {
      case 0:
        return {of_two(BinaryOp::min, of_two(BinaryOp::max, x, number(-0.5F)), number(0.5F))};
      case 1: {
        const OutletId low = of_two(BinaryOp::max, of_two(BinaryOp::add, x, number(3)), number(0));
        const OutletId gate = of_two(BinaryOp::min, low, number(6));
        return {of_two(BinaryOp::div, of_two(BinaryOp::mul, x, gate), number(6))};
      }
      case 2: {
        const OutletId part = of_two(BinaryOp::div, x, number(1.41421356F));
        const OutletId sum = of_two(BinaryOp::add, wire(Unary{UnaryOp::erf}, {part})[0], number(1));
        return {of_two(BinaryOp::mul, of_two(BinaryOp::mul, x, sum), number(0.5F))};
      }
      default:
        return {of_two(BinaryOp::mul, x, wire(Unary{UnaryOp::sigmoid}, {x})[0])};
    }
  }
  OutletIds moved() {
    const OutletId x = pick();
    std::vector<std::int64_t> perm(static_cast<std::size_t>(rank_of(x)));
    std::iota(perm.begin(), perm.end(), 0);
    std::shuffle(perm.begin(), perm.end(), random_);
    return wire(Transpose{perm}, {x});
  }
  /// Axes of size 1 come, go, or do both.
  OutletIds ranked() {
    const OutletId x = pick();
    switch (below(4)) {
      case 0:
        return squeezed(x);
      case 1:
        return unsqueezed(x);
      case 2:
        return squeezed(unsqueezed(x)[0]);
      default:
        return unsqueezed(squeezed(x)[0]);
    }
  }
  OutletIds squeezed(OutletId x) {
    const std::int64_t rank = rank_of(x);
    const ShapeFact& shape = model_.fact(x).shape;
    std::vector<std::int64_t> axes;
    for (std::int64_t axis = 0; axis < rank; ++axis)
      if (shape[static_cast<std::size_t>(axis)] == Dim(1) && below(3) > 0)
        axes.push_back(coin() ? axis : axis - rank);
    return below(4) == 0 ? wire(Squeeze{}, {x}) : wire(Squeeze{}, {x, integers(axes)});
  }
  OutletIds unsqueezed(OutletId x) {
    const std::int64_t count = between(1, 2);
    std::vector<std::int64_t> axes;
    for (std::int64_t i = 0; i < count; ++i) axes.push_back(axis_of(rank_of(x) + count));
    return wire(Unsqueeze{}, {x, integers(axes)});
  }
  OutletIds cut() {
    const OutletId x = pick();
    const std::int64_t axis = axis_of(rank_of(x));
    switch (below(3)) {
      case 0:
        return wire(Split{axis, 2}, {x});
      case 1:
        return wire(Gather{axis}, {x, coin() ? integers({0}) : integers({-1, 0})});
      default: {
        const std::int64_t step = coin() ? 1 : between(0, 1) * 4 - 2;
        const std::int64_t begin = between(-4, 4), end = coin() ? step * 1000 : between(-4, 4);
        return wire(Slice{},
                    {x, integers({begin}), integers({end}), integers({axis}), integers({step})});
      }
    }
  }
  OutletIds widened() {
    const OutletId x = pick();
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(rank_of(x)), 1);
    switch (below(3)) {
      case 0:
        if (!sizes.empty()) sizes[below(sizes.size())] = 2;
        return wire(Tile{}, {x, integers(sizes)});
      case 1:
        if (coin()) sizes.insert(sizes.begin(), 2);
        return wire(Expand{}, {x, integers(sizes)});
      default:
        sizes.assign(2 * sizes.size(), 0);
        if (!sizes.empty()) sizes[below(sizes.size())] = between(-1, 2);
        return wire(Pad{}, {x, integers(sizes)});
    }
  }
  OutletIds reduced() {
    constexpr Reduction kOps[] = {Reduction::mean, Reduction::max, Reduction::min};
    const OutletId x = pick();
    const std::int64_t axis = axis_of(rank_of(x));
    if (below(4) == 0) return wire(Softmax{.axes = {axis}}, {x});
    const OutletId least =
        wire(Reduce{.op = kOps[below(3)], .keep_dims = coin()}, {x, integers({axis})})[0];
    if (coin()) return {least};
    return wire(Expand{}, {least, wire(ShapeOf{}, {x})[0]});
  }
  OutletIds reshaped() {
    const OutletId x = pick();
    const std::int64_t rank = rank_of(x);
    std::vector<std::int64_t> sizes(below(static_cast<std::size_t>(rank) + 1), 0);
    if (coin()) sizes.push_back(1);
    sizes.push_back(-1);
    return wire(Reshape{}, {x, integers(sizes)});
  }

  std::mt19937 random_;
  DatumType type_;
  InputRanks ranks_;
  TypedModel model_;
  std::vector<std::vector<Dim>> input_dims_;
  OutletIds wires_;
  unsigned made_ = 0;
};

/// What the model gives; nothing where sizes do not fit.
inline std::optional<ValueList> outputs_of(const TypedModel& model, const ValueList& inputs) {
  try {
    return run_model(model, inputs);
  } catch (const Error& error) {
    CHECK(error.kind() != ErrorKind::internal);
    return std::nullopt;
  }
}

}  // namespace strata::tests
