#include "strata/core/ops/scatter_elements.h"

#include "ops/movement.h"
#include "ops/operand_kinds.h"
#include "ops/scatter.h"

namespace strata {

FactList ScatterElements::output_facts(Facts in) const {
  check_arity(name, in, 3, 3);
  const ShapeFact &data = in[0].shape, &indices = in[1].shape, &updates = in[2].shape;
  check(is_integer(in[1].dtype), "(C1) the indices are ", in[1], ", no integers");
  check(in[0].dtype == in[2].dtype, "(C1) updates of ", in[2].dtype, " do not go into ",
        in[0].dtype);
  if (data.is_known()) {
    (void)normalized_axis(axis, data.rank());
    check(may_have_rank(indices, data.rank()), "(C2) data of shape ", data,
          " and indices of shape ", indices, " differ in rank");
  }
  if (indices.is_known() && updates.is_known()) {
    check(indices.rank() == updates.rank(), "(C3) updates of shape ", updates,
          " for indices of shape ", indices);
    for (std::size_t i = 0; i < indices.rank(); ++i)
      check(may_be_equal(indices[i], updates[i]), "(C3) updates of shape ", updates,
            " for indices of shape ", indices);
  }
  return {Fact::tensor(in[0].dtype, data)};
}

TensorList ScatterElements::eval(Tensors in) const {
  const Tensor &indices = in[1], &updates = in[2];
  const Shape shape = in[0].shape();
  check_data(shape.size() == indices.rank(), "(C2) data of rank ", shape.size(),
             " and indices of rank ", indices.rank());
  check_data(indices.shape() == updates.shape(), "(C3) updates of shape ", Span(updates.shape()),
             " for indices of shape ", Span(indices.shape()));
  const std::size_t at = axis_of_data(axis, shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i)
    check_data(i == at || indices.size() == 0 || indices.shape()[i] <= shape[i],
               "(C4) indices of shape ", Span(indices.shape()), " leave data of ", Span(shape));
  const Shape strides = row_major_strides(shape);
  Shape offsets = to_integers(indices);
  std::int64_t* pick = offsets.data();
  for_each_index(indices.shape(), [&](const Shape& index) {
    std::int64_t offset = checked_index(*pick, shape[at]) * strides[at];
    for (std::size_t i = 0; i < index.size(); ++i)
      if (i != at) offset += index[i] * strides[i];
    *pick++ = offset;
  });
  MutableTensor out = MutableTensor::copy_of(in[0]);
  scatter(reduction, updates, offsets, 1, out);
  return {std::move(out).freeze()};
}

}  // namespace strata
