#include "strata/core/ops/squeeze.h"

#include <algorithm>

#include "ops/movement.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/core/patch.h"

namespace strata {
namespace {

const Dim kOne(1);

/// `dims` without those at the sorted `axes`.
template <class Dims>
Dims without_axes(std::span<const typename Dims::value_type> dims,
                  const std::vector<std::size_t>& axes) {
  Dims out;
  out.reserve(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (!std::binary_search(axes.begin(), axes.end(), i)) out.push_back(dims[i]);
  return out;
}

/// Without all axes of size 1; open where a size is not known, as even the rank depends on it.
ShapeFact without_ones(const ShapeFact& shape) {
  if (!shape.concrete()) return ShapeFact::open();
  std::vector<Dim> out = shape.dims();
  std::erase(out, kOne);
  return out;
}

}  // namespace

FactList Squeeze::output_facts(Facts in) const {
  check_arity(name, in, 1, 2);
  const ShapeFact& shape = in[0].shape;
  if (in.has(1)) check(is_integer(in[1].dtype), "(C1) the axes are ", in[1], ", no integers");
  if (shape.is_open()) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  if (!in.has(1)) return {Fact::tensor(in[0].dtype, without_ones(shape))};
  if (const auto axes = known_axes(in[1], shape.rank())) {
    for (const std::size_t axis : *axes)
      check(may_be_equal(shape[axis], kOne), "(C2) axis ", axis, " of ", shape, " is not 1");
    return {Fact::tensor(in[0].dtype, without_axes<std::vector<Dim>>(shape.dims(), *axes))};
  }
  const auto count = known_length(in[1]);
  if (!count) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  check(*count <= static_cast<std::int64_t>(shape.rank()), "(C1) ", *count,
        " axes are more than rank ", shape.rank());
  return {Fact::tensor(in[0].dtype, fresh_shape(shape.rank() - static_cast<std::size_t>(*count)))};
}

TensorList Squeeze::eval(Tensors in) const {
  const Shape& shape = in[0].shape();
  std::vector<std::size_t> axes;
  if (in.size() > 1) {
    axes = sorted_axes(in[1], shape.size());
  } else {
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (shape[i] == 1) axes.push_back(i);
  }
  for (const std::size_t axis : axes)
    check_data(shape[axis] == 1, "(C2) axis ", axis, " of ", Span(shape), " is not 1");
  return {in[0].reshaped(without_axes<Shape>(shape, axes))};
}

/// Squeeze(Unsqueeze(x, axes), axes)   ->  x
/// Squeeze(x, no axes)                 ->  x
Rewrite Squeeze::declutter(const NodeView& node) const {
  const ShapeFact& before = node.input_fact(0).shape;
  if (before.is_known() && before == node.output_fact().shape) return bypass(node, node.input(0));
  if (node.inputs().size() < 2 || !node.producer_as<Unsqueeze>(0) || before.is_open())
    return no_change;
  const auto mine = known_axes(node.input_fact(1), before.rank());
  const auto theirs = known_axes(node.producer(0).input_fact(1), before.rank());
  if (!mine || mine != theirs) return no_change;
  return bypass(node, node.producer(0).input(0));
}

}  // namespace strata
