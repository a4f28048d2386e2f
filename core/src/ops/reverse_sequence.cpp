#include "strata/core/ops/reverse_sequence.h"

#include "ops/movement.h"

namespace strata {

FactList ReverseSequence::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  const ShapeFact &shape = in[0].shape, &lengths = in[1].shape;
  check(is_integer(in[1].dtype) && (lengths.is_open() || lengths.rank() == 1),
        "(C2) the lengths are ", in[1]);
  if (shape.is_open()) return {Fact::tensor(in[0].dtype, shape)};
  const std::size_t batch = normalized_axis(batch_axis, shape.rank()),
                    time = normalized_axis(time_axis, shape.rank());
  check(batch != time, "(C1) batch and time are both axis ", batch);
  check(lengths.is_open() || may_be_equal(lengths[0], shape[batch]), "(C2) ", lengths[0],
        " lengths for ", shape[batch], " batches");
  return {Fact::tensor(in[0].dtype, shape)};
}

TensorList ReverseSequence::eval(Tensors in) const {
  const Tensor& data = in[0];
  const std::size_t batch = axis_of_data(batch_axis, data.rank()),
                    time = axis_of_data(time_axis, data.rank());
  const Shape lengths = to_integers(in[1]), strides = row_major_strides(data.shape());
  check_data(batch != time, "(C1) batch and time are both axis ", batch);
  check_data(static_cast<std::int64_t>(lengths.size()) == data.shape()[batch], "(C2) ",
             lengths.size(), " lengths for ", data.shape()[batch], " batches");
  for (const std::int64_t length : lengths)
    check_data(length >= 0 && length <= data.shape()[time], "(C3) length ", length,
               " is outside an axis of ", data.shape()[time]);
  MutableTensor out(data.dtype(), data.shape());
  visit_storage(data.dtype(), [&]<class T>(TypeTag<T>) {
    const T* from = data.storage_as<T>().data();
    T* to = out.storage_as<T>().data();
    std::int64_t at = 0;
    for_each_index(data.shape(), [&](const Shape& index) {
      const std::int64_t length = lengths[static_cast<std::size_t>(index[batch])],
                         now = index[time];
      const std::int64_t source = now < length ? length - 1 - now : now;
      *to++ = from[at++ + (source - now) * strides[time]];
    });
  });
  return {std::move(out).freeze()};
}

}  // namespace strata
