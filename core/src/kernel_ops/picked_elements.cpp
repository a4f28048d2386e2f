#include "kernel_ops/picked_elements.h"

#include <utility>

namespace strata {

PickedElements::PickedElements(Span data, const TensorView& indices, std::size_t axis)
    : indices_(indices), extent_(data[axis]) {
  std::int64_t step = 1;
  for (std::size_t i = data.size(); i-- > 0; step *= data[i]) step_.of[i] = step;
  pick_step_ = std::exchange(step_.of[axis], 0);
}

PickedElements::Place PickedElements::place_of(std::int64_t n) const {
  const Span shape = indices_.shape;
  Place place{n, {}, 0};
  for (std::size_t i = shape.size(); i-- > 0; n /= shape[i]) place.at.of[i] = n % shape[i];
  for (std::size_t i = 0; i + 1 < shape.size(); ++i)
    place.row_begin += place.at.of[i] * step_.of[i];
  return place;
}

void PickedElements::move_on(Place& place, std::int64_t count) const {
  const Span shape = indices_.shape;
  place.n += count;
  std::size_t axis = shape.size() - 1;
  place.at.of[axis] += count;
  for (; axis > 0 && place.at.of[axis] == shape[axis]; --axis) {
    if (axis + 1 < shape.size()) place.row_begin -= shape[axis] * step_.of[axis];
    place.at.of[axis] = 0;
    ++place.at.of[axis - 1];
    place.row_begin += step_.of[axis - 1];
  }
}

PickedElements::Row PickedElements::row_from(const Place& place, std::int64_t end,
                                             std::int64_t (&wide)[kMost]) const {
  const std::size_t last = indices_.shape.size() - 1;
  const std::int64_t at = place.at.of[last], step = step_.of[last];
  const std::int64_t count = std::min(end - place.n, indices_.shape[last] - at);
  Row row{place.n, count, nullptr, place.row_begin + at * step, step, extent_, pick_step_};
  if (indices_.dtype == DatumType::i32) {
    row.count = std::min(row.count, kMost);
    std::copy_n(indices_.as<std::int32_t>() + place.n, row.count, wide);
    row.picks = wide;
  } else {
    row.picks = indices_.as<std::int64_t>() + place.n;
  }
  return row;
}

}  // namespace strata
