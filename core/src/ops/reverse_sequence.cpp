#include "strata/core/ops/reverse_sequence.h"

#include <algorithm>

#include "ops/movement.h"
#include "ops/operand_kinds.h"

namespace strata {

FactList ReverseSequence::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  const ShapeFact &shape = in[0].shape, &lengths = in[1].shape;
  check(may_be_integer_vector(in[1]), "(C2) the lengths are ", in[1]);
  if (shape.is_open()) return {Fact::tensor(in[0].dtype, shape)};
  const std::size_t batch = normalized_axis(batch_axis, shape.rank()),
                    time = normalized_axis(time_axis, shape.rank());
  check(batch != time, "(C1) batch and time are both axis ", batch);
  if (lengths.is_known())
    check(may_be_equal(lengths[0], shape[batch]), "(C2) ", lengths[0], " lengths for ",
          shape[batch], " batches");
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
  // What lies behind both axes moves together: [outer, first, between, last, run].
  const auto [first, last] = std::minmax(batch, time);
  const Span sizes(data.shape());
  const std::int64_t run = product(sizes.subspan(last + 1));
  const Shape places{product(sizes.first(first)), sizes[first],
                     product(sizes.subspan(first + 1, last - first - 1)), sizes[last]};
  const std::size_t batch_place = batch == first ? 1 : 3, time_place = 4 - batch_place;
  MutableTensor out(data.dtype(), data.shape());
  if (out.size() == 0) return {std::move(out).freeze()};
  std::int64_t place = 0;
  for_each_index(places, [&](const Shape& index) {
    const std::int64_t length = lengths[static_cast<std::size_t>(index[batch_place])],
                       now = index[time_place];
    const std::int64_t source = now < length ? length - 1 - now : now;
    copy_elements(data, place + (source - now) * strides[time], run, out, place);
    place += run;
  });
  return {std::move(out).freeze()};
}

}  // namespace strata
