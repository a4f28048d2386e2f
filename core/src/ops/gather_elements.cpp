#include "strata/core/ops/gather_elements.h"

#include "ops/movement.h"

namespace strata {

FactList GatherElements::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  const ShapeFact &data = in[0].shape, &indices = in[1].shape;
  check(is_integer(in[1].dtype), "(C1) the indices are ", in[1], ", no integers");
  if (data.is_known() && indices.is_known())
    check(data.rank() == indices.rank(), "(C2) data of shape ", data, " and indices of shape ",
          indices, " differ in rank");
  if (data.is_known()) (void)normalized_axis(axis, data.rank());
  if (indices.is_open() && data.is_known())
    return {Fact::tensor(in[0].dtype, fresh_shape(data.rank()))};
  return {Fact::tensor(in[0].dtype, indices)};
}

TensorList GatherElements::eval(Tensors in) const {
  const Tensor &data = in[0], &indices = in[1];
  check_data(data.rank() == indices.rank(), "(C2) data of rank ", data.rank(),
             " and indices of rank ", indices.rank());
  const std::size_t at = axis_of_data(axis, data.rank());
  for (std::size_t i = 0; i < data.rank(); ++i)
    check_data(i == at || indices.shape()[i] <= data.shape()[i], "(C3) indices of shape ",
               Span(indices.shape()), " leave data of ", Span(data.shape()));
  const Shape strides = row_major_strides(data.shape()), picks = to_integers(indices);
  MutableTensor out(data.dtype(), indices.shape());
  std::int64_t n = 0;
  for_each_index(indices.shape(), [&](const Shape &index) {
    std::int64_t offset =
        checked_index(picks[static_cast<std::size_t>(n)], data.shape()[at]) * strides[at];
    for (std::size_t i = 0; i < index.size(); ++i)
      if (i != at) offset += index[i] * strides[i];
    copy_elements(data, offset, 1, out, n++);
  });
  return {std::move(out).freeze()};
}

}  // namespace strata
