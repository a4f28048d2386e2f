#include "kernel_ops/picked_elements.h"

#include <utility>

namespace strata {

PickedElements::PickedElements(Span data, const TensorView& indices, std::size_t axis)
    : indices_(indices), extent_(data[axis]) {
  std::int64_t step = 1;
  for (std::size_t i = data.size(); i-- > 0; step *= data[i]) step_.of[i] = step;
  pick_step_ = std::exchange(step_.of[axis], 0);
}

PickedElements::Row PickedElements::row_from(std::int64_t n, std::int64_t end,
                                             std::int64_t (&wide)[kMost]) const {
  const Span shape = indices_.shape;
  const std::int64_t length = shape.back(), step = step_.of[shape.size() - 1];
  std::int64_t number = n / length, begin = n % length * step;
  Row row{n, std::min(end, (number + 1) * length) - n, nullptr, 0, step, extent_, pick_step_};
  for (std::size_t i = shape.size() - 1; i-- > 0; number /= shape[i])
    begin += number % shape[i] * step_.of[i];
  row.begin = begin;
  if (indices_.dtype == DatumType::i32) {
    row.count = std::min(row.count, kMost);
    std::copy_n(indices_.as<std::int32_t>() + n, row.count, wide);
    row.picks = wide;
  } else {
    row.picks = indices_.as<std::int64_t>() + n;
  }
  return row;
}

}  // namespace strata
