#include "strata/core/ops/expand.h"

#include <algorithm>

#include "ops/movement.h"
#include "ops/operand_kinds.h"
#include "strata/core/patch.h"

namespace strata {
namespace {

Tensor filled(const Tensor& element, const Shape& shape) {
  MutableTensor out(element.dtype(), shape);
  visit_storage(element.dtype(), [&]<class T>(TypeTag<T>) {
    std::ranges::fill(out.storage_as<T>(), element.storage_as<T>().front());
  });
  return std::move(out).freeze();
}

}  // namespace

FactList Expand::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  const Fact& target = in[1];
  check(may_be_integer_vector(target), "(C1) the target is ", target, ", no vector of integers");
  ShapeFact wanted = ShapeFact::open();
  if (const auto dims = target.dims()) {
    for (const Dim& dim : *dims)
      check(dim.constant().value_or(0) >= 0, "(C1) the target is ", *dims);
    wanted = *dims;
  } else if (const auto rank = known_length(target)) {
    wanted = fresh_shape(static_cast<std::size_t>(*rank));
  }
  try {
    return {Fact::tensor(in[0].dtype, broadcast(in[0].shape, wanted))};
  } catch (const Error& error) {
    fail(error.kind(), "(C2) ", error.message());
  }
}

TensorList Expand::eval(Tensors in) const {
  const Tensor& data = in[0];
  const Shape target = to_integers(in[1]);
  for (const std::int64_t dim : target) check_data(dim >= 0, "(C1) the target is ", Span(target));
  const Shape shape = broadcast(data.shape(), target);
  if (data.size() == 1) return {filled(data, shape)};
  const Shape from = row_major_strides(data.shape());
  Shape strides(shape.size(), 0);
  const std::size_t lead = shape.size() - data.rank();
  for (std::size_t i = 0; i < data.rank(); ++i)
    if (data.shape()[i] != 1) strides[lead + i] = from[i];
  return {strided_copy(data, shape, strides)};
}

/// Expand(x, shape of x)   ->  x
Rewrite Expand::declutter(const NodeView& node) const {
  const ShapeFact& before = node.input_fact(0).shape;
  if (before.is_known() && before == node.output_fact().shape && node.input_fact(1).dims())
    return bypass(node, node.input(0));
  return no_change;
}

}  // namespace strata
