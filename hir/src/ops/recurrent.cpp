#include "ops/recurrent.h"

#include "loop_builder.h"
#include "ops/arithmetic.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/support.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::hir {
namespace {

enum Input : std::size_t { kX, kW, kR, kB, kLengths, kInitialH, kInitialC, kPeepholes };

/// Axes of X and of the states, by the layout.
struct Axes {
  std::int64_t steps;
  std::int64_t batch;  ///< of X
  std::int64_t state_batch;
  std::int64_t state_directions;
  explicit Axes(SequenceLayout layout)
      : steps(layout == SequenceLayout::batch_first),
        batch(1 - steps),
        state_batch(1 - steps),
        state_directions(steps) {}
};

/// Part `index` of `wire` along `axis`, which goes.
OutletId part(Builder& b, OutletId wire, std::size_t index, std::size_t parts, std::int64_t axis) {
  const auto at = static_cast<std::int64_t>(index);
  if (const Tensor* constant = b.fact(wire).constant();
      constant && axis == 0 && constant->rank() > 0) {
    const Tensor row = constant->rows(at, at + 1);
    return b.constant(row.reshaped(Shape(row.shape().begin() + 1, row.shape().end())));
  }
  const OutletId axes = b.integers({axis});
  if (parts > 1) wire = b.one(Slice{}, {wire, b.integers({at}), b.integers({at + 1}), axes});
  return b.one(Squeeze{}, {wire, axes});
}

/// The sum of two wires; of constants, a constant.
OutletId sum(Builder& b, OutletId x, OutletId y) {
  const TypedOp add = Binary{BinaryOp::add};
  if (b.fact(x).constant() && b.fact(y).constant())
    return b.constant(add.eval(ValueList{*b.fact(x).constant(), *b.fact(y).constant()})[0]);
  return b.one(add, {x, y});
}

/// Both halves of a vector; of a constant, constants.
OutletIds halves(Builder& b, OutletId vector) {
  const TypedOp split = Split{0, 2};
  const Tensor* constant = b.fact(vector).constant();
  if (!constant) return b.wire(split, {vector});
  OutletIds out;
  for (const Value& half : split.eval(ValueList{*constant})) out.push_back(b.constant(half));
  return out;
}

/// One direction of a layer, while its loop is put together.
class DirectionWirer {
 public:
  DirectionWirer(Builder& outer, const OutletIds& in, const RecurrentLayer& layer,
                 const CellKind& kind, std::size_t number)
      : outer_(outer),
        in_(in),
        layer_(layer),
        kind_(kind),
        number_(number),
        axes_(layer.layout),
        loop_(outer),
        order_(number == 1 || layer.direction == SequenceDirection::reverse
                   ? LoopOrder::from_end
                   : LoopOrder::from_front) {}

  /// The last states, then the outputs of all steps with an axis for the directions.
  OutletIds run(const Cell& cell) {
    CellInputs inputs = cell_inputs();
    if (has(in_, kLengths)) is_active_ = active();
    OutletIds next = cell(loop_.body(), inputs);
    OutletId output = next[0];
    if (!is_active_.is_absent()) {
      const OutletId zero = loop_.body().scalar(0, loop_.body().fact(output).dtype);
      output = loop_.body().one(Select{}, {is_active_, output, zero});
      for (std::size_t k = 0; k < next.size(); ++k)
        next[k] = loop_.body().one(Select{}, {is_active_, next[k], inputs.states[k]});
    }
    output = loop_.body().one(Unsqueeze{},
                              {output, loop_.body().integers({axes_.steps, axes_.steps + 1})});
    return loop_.wire(next, {{output, axes_.steps, order_}});
  }

 private:
  CellInputs cell_inputs() {
    CellInputs out;
    out.x = loop_.scanned("x", in_[kX], axes_.steps, order_);
    for (std::size_t k = 0; k < kind_.states; ++k) {
      const OutletId initial = initial_state(kInitialH + k);
      out.states.push_back(loop_.carried(k == 0 ? "h" : "c", initial, state_fact(initial)));
    }
    out.w = loop_.invariant("w", part(in_[kW]));
    out.r = loop_.invariant("r", part(in_[kR]));
    if (has(in_, kB)) {
      const OutletIds biases = halves(outer_, part(in_[kB]));
      const bool summed = kind_.bias == CellKind::Bias::summed;
      out.input_bias =
          loop_.invariant("input_bias", summed ? sum(outer_, biases[0], biases[1]) : biases[0]);
      if (!summed) out.state_bias = loop_.invariant("state_bias", biases[1]);
    }
    if (has(in_, kPeepholes)) out.peepholes = loop_.invariant("peepholes", part(in_[kPeepholes]));
    out.functions = std::span(layer_.functions).subspan(number_ * kind_.functions, kind_.functions);
    out.clip = layer_.clip;
    return out;
  }

  OutletId part(OutletId wire, std::int64_t axis = 0) {
    return hir::part(outer_, wire, number_, layer_.directions(), axis);
  }
  OutletId x_size(std::int64_t axis) { return outer_.one(ShapeOf{axis, axis + 1}, {in_[kX]}); }

  OutletId initial_state(std::size_t input) {
    if (has(in_, input)) return part(in_[input], axes_.state_directions);
    const OutletId hidden = layer_.hidden_size ? outer_.integers({*layer_.hidden_size})
                                               : outer_.one(ShapeOf{2, 3}, {in_[kR]});
    const OutletId shape = outer_.one(Concat{0}, {x_size(axes_.batch), hidden});
    return outer_.one(Expand{}, {outer_.scalar(0, outer_.fact(in_[kX]).dtype), shape});
  }

  /// What is true of a state in every step: the batch is that of X, the rest as it is before the
  /// first.
  Fact state_fact(OutletId initial) const {
    Fact fact = outer_.fact(initial).without_value();
    const ShapeFact& x = outer_.fact(in_[kX]).shape;
    if (fact.shape.is_open() || x.is_open()) return fact;
    std::vector<Dim> dims = fact.shape.dims();
    dims[0] = more_definite(x[static_cast<std::size_t>(axes_.batch)], dims[0]);
    if (layer_.hidden_size) dims[1] = *layer_.hidden_size;
    fact.shape = std::move(dims);
    return fact;
  }

  /// Whether each sequence of the batch still goes on (forward) or has begun (from the end):
  /// bool[batch, 1].
  OutletId active() {
    const OutletId lengths = cast_to(outer_, in_[kLengths], DatumType::i64);
    const bool from_end = order_ == LoopOrder::from_end;
    const OutletId bound = from_end ? sub(outer_, x_size(axes_.steps), lengths) : lengths;
    const OutletId column =
        loop_.invariant("bound", outer_.one(Unsqueeze{}, {bound, outer_.integers({1})}));
    const BinaryOp holds = from_end ? BinaryOp::greater_or_equal : BinaryOp::less;
    return loop_.body().one(Binary{holds}, {loop_.iteration(), column});
  }

  Builder& outer_;
  const OutletIds& in_;
  const RecurrentLayer& layer_;
  const CellKind& kind_;
  std::size_t number_;
  Axes axes_;
  LoopBuilder loop_;
  LoopOrder order_;
  OutletId is_active_;
};

/// The hidden size, as soon as it is known from anything.
std::optional<Dim> known_hidden_size(const RecurrentLayer& layer, const CellKind& kind,
                                     const PortProxy& w, const PortProxy& r) {
  if (layer.hidden_size) return Dim(*layer.hidden_size);
  if (r.shape.partial() && r.shape.partial()->size() == 3)
    if (const auto hidden = r.shape[2].known()) return hidden;
  if (w.shape.partial() && w.shape.partial()->size() == 3)
    if (const auto rows = w.shape[1].known(); rows && rows->is_constant())
      return floor_div(*rows, kind.gates);
  return std::nullopt;
}

void require_shape(Rules& r, const PortProxy& port, const PartialShape& shape) {
  r.require(port.rank == static_cast<std::int64_t>(shape.size()));
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis]) r.require(port.shape[static_cast<std::int64_t>(axis)] == *shape[axis]);
}

/// Where everything is known ahead, inputs come here before the rules, which would refuse these
/// ranks.
void check_ranks(const Builder& b, const OutletIds& in) {
  constexpr std::pair<std::size_t, std::size_t> kRanks[] = {
      {kX, 3}, {kW, 3}, {kR, 3}, {kB, 2}, {kLengths, 1}, {kInitialH, 3}, {kInitialC, 3}};
  for (const auto& [input, wanted] : kRanks) {
    const auto rank = has(in, input) ? b.rank(in[input]) : std::nullopt;
    check(!rank || *rank == wanted, "input ", input, " has rank ", rank.value_or(0), ", not ",
          wanted);
  }
}

}  // namespace

void recurrent_rules(Rules& r, const RecurrentLayer& layer, const CellKind& kind) {
  const auto x = r.input(kX, "X"), w = r.input(kW, "W"), recurrent = r.input(kR, "R");
  const Dim directions(static_cast<std::int64_t>(layer.directions()));
  const auto hidden = known_hidden_size(layer, kind, w, recurrent);
  const auto times = [&](std::int64_t factor) {
    return hidden ? std::optional(*hidden * factor) : std::nullopt;
  };
  require_shape(r, x, {std::nullopt, std::nullopt, std::nullopt});
  require_shape(r, w, {directions, times(kind.gates), std::nullopt});
  require_shape(r, recurrent, {directions, times(kind.gates), hidden});
  r.require(w.shape[2] == x.shape[2]);
  r.require(w.dtype == x.dtype);
  r.require(recurrent.dtype == x.dtype);
  const Axes axes(layer.layout);
  const auto y = r.output(0, "Y");
  const bool steps_first = layer.layout == SequenceLayout::steps_first;
  require_shape(r, y, {std::nullopt, std::nullopt, std::nullopt, hidden});
  r.require(y.dtype == x.dtype);
  r.require(y.shape[axes.steps] == x.shape[axes.steps]);
  r.require(y.shape[steps_first ? 2 : 0] == x.shape[axes.batch]);
  r.require(y.shape[steps_first ? 1 : 2] == directions);
  if (r.has_input(kB)) {
    require_shape(r, r.input(kB, "B"), {directions, times(2 * kind.gates)});
    r.require(r.input(kB, "B").dtype == x.dtype);
  }
  if (r.has_input(kLengths)) {
    const auto lengths = r.input(kLengths, "sequence_lens");
    require_shape(r, lengths, {std::nullopt});
    r.require(lengths.shape[0] == x.shape[axes.batch]);
    r.require(lengths.dtype == DatumType::i32);
  }
  for (std::size_t k = 0; k < kind.states; ++k) {
    if (!r.has_input(kInitialH + k)) continue;
    const auto initial = r.input(kInitialH + k, k == 0 ? "initial_h" : "initial_c");
    require_shape(r, initial, {std::nullopt, std::nullopt, hidden});
    r.require(initial.shape[axes.state_directions] == directions);
    r.require(initial.shape[axes.state_batch] == x.shape[axes.batch]);
    r.require(initial.dtype == x.dtype);
  }
  if (r.has_input(kPeepholes)) {
    require_shape(r, r.input(kPeepholes, "P"), {directions, times(3)});
    r.require(r.input(kPeepholes, "P").dtype == x.dtype);
  }
}

OutletIds wire_recurrent(Builder& b, const OutletIds& in, const RecurrentLayer& layer,
                         const CellKind& kind, const Cell& cell) {
  check_ranks(b, in);
  check(layer.functions.size() == kind.functions * layer.directions(), layer.functions.size(),
        " activations given, ", kind.functions * layer.directions(), " wanted");
  const Axes axes(layer.layout);
  const OutletId direction_axis = b.integers({axes.state_directions});
  std::vector<OutletIds> parts(1 + kind.states);  // of Y, then of each state, by direction
  for (std::size_t d = 0; d < layer.directions(); ++d) {
    const OutletIds results = DirectionWirer(b, in, layer, kind, d).run(cell);
    parts[0].push_back(results.back());
    for (std::size_t k = 0; k < kind.states; ++k)
      parts[1 + k].push_back(b.one(Unsqueeze{}, {results[k], direction_axis}));
  }
  OutletIds out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t axis = i == 0 ? axes.steps + 1 : axes.state_directions;
    out.push_back(parts[i].size() == 1 ? parts[i][0] : b.one(Concat{axis}, parts[i]));
  }
  return out;
}

OutletId projected(Builder& body, OutletId x, OutletId weights, OutletId bias) {
  const OutletId product = body.one(strata::MatMul{.transpose_b = true}, {x, weights});
  return bias.is_absent() ? product : add(body, product, bias);
}

}  // namespace strata::hir
