#include "strata/core/ops/unsqueeze.h"

#include <algorithm>

#include "ops/movement.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/patch.h"

namespace strata {
namespace {

/// `dims` with a 1 at each of the sorted `axes` of the result.
template <class Dims>
Dims with_ones(std::span<const typename Dims::value_type> dims,
               const std::vector<std::size_t>& axes) {
  Dims out;
  out.reserve(dims.size() + axes.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < dims.size() + axes.size(); ++i) {
    if (std::binary_search(axes.begin(), axes.end(), i))
      out.push_back(1);
    else
      out.push_back(dims[next++]);
  }
  return out;
}

}  // namespace

FactList Unsqueeze::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  check(is_integer(in[1].dtype) && (in[1].shape.is_open() || in[1].shape.rank() <= 1),
        "(C1) the axes are ", in[1], ", no list of integers");
  const ShapeFact& shape = in[0].shape;
  const auto count = known_length(in[1]);
  if (shape.is_open() || !count) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  const std::size_t rank = shape.rank() + static_cast<std::size_t>(*count);
  const auto axes = known_axes(in[1], rank);
  return {
      Fact::tensor(in[0].dtype, axes ? ShapeFact(with_ones<std::vector<Dim>>(shape.dims(), *axes))
                                     : fresh_shape(rank))};
}

TensorList Unsqueeze::eval(Tensors in) const {
  const auto axes = sorted_axes(in[1], in[0].rank() + static_cast<std::size_t>(in[1].size()));
  return {in[0].reshaped(with_ones<Shape>(in[0].shape(), axes))};
}

/// Unsqueeze(Squeeze(x, axes), axes)   ->  x
/// Unsqueeze(x, no axes)               ->  x
Rewrite Unsqueeze::declutter(const NodeView& node) const {
  const ShapeFact& after = node.output_fact().shape;
  if (after.is_known() && after == node.input_fact(0).shape) return bypass(node, node.input(0));
  if (!node.producer_as<Squeeze>(0) || node.producer(0).inputs().size() < 2) return no_change;
  const NodeView squeeze = node.producer(0);
  const ShapeFact& before = squeeze.input_fact(0).shape;
  if (before.is_open() || after.is_open() || before.rank() != after.rank()) return no_change;
  const auto mine = known_axes(node.input_fact(1), after.rank());
  const auto theirs = known_axes(squeeze.input_fact(1), before.rank());
  if (!mine || mine != theirs) return no_change;
  return bypass(node, squeeze.input(0));
}

}  // namespace strata
