#include "kernels/copy.h"

#include <cstdint>

#include "kernels/planes.h"

namespace strata::kernels {

void StridedCopy::add_outer(Index length, Index from_step, Index to_step) noexcept {
  is_empty_ |= length == 0;
  if (length == 1) return;
  if (rank_ == 0 && from_step == run_ && to_step == run_) {
    run_ *= length;
    return;
  }
  if (rank_ > 0) {
    const std::size_t last = rank_ - 1;
    if (from_step == from_step_[last] * length_[last] &&
        to_step == to_step_[last] * length_[last]) {
      length_[last] *= length;
      return;
    }
  }
  length_[rank_] = length;
  from_step_[rank_] = from_step;
  to_step_[rank_] = to_step;
  ++rank_;
}

/// Calls `inner(from, to)` at each index of the axes from the third on.
template <class Inner>
void StridedCopy::for_each_inner(const std::byte* from, std::byte* to,
                                 const Inner& inner) const noexcept {
  Index index[kMaxAxes] = {};
  for (;;) {
    inner(from, to);
    std::size_t axis = 2;
    for (; axis < rank_; ++axis) {
      from += from_step_[axis];
      to += to_step_[axis];
      if (++index[axis] < length_[axis]) break;
      from -= from_step_[axis] * length_[axis];
      to -= to_step_[axis] * length_[axis];
      index[axis] = 0;
    }
    if (axis >= rank_) return;
  }
}

template <std::size_t width>
void StridedCopy::run_units(const std::byte* from, std::byte* to) const noexcept {
  using planes::copy_plane;
  planes::Plane plane{length_[0], from_step_[0], to_step_[0], 1, 0, 0};
  const auto set_rows = [&](std::size_t axis) {
    plane.rows = length_[axis];
    plane.from_row = from_step_[axis];
    plane.to_row = to_step_[axis];
  };
  if (rank_ > 1) set_rows(1);
  if (rank_ <= 2) return copy_plane<width>(from, to, plane);
  // The order of the outer axes is free: the one that is dense in the source pairs best.
  StridedCopy outer = *this;
  for (std::size_t axis = 2; axis < rank_; ++axis)
    if (from_step_[axis] == run_ && to_step_[0] == run_) {
      set_rows(axis);
      outer.length_[axis] = length_[1];
      outer.from_step_[axis] = from_step_[1];
      outer.to_step_[axis] = to_step_[1];
      break;
    }
  outer.for_each_inner(from, to,
                       [&](const std::byte* f, std::byte* t) { copy_plane<width>(f, t, plane); });
}

void StridedCopy::run_runs(const std::byte* from, std::byte* to) const noexcept {
  const Index rows = rank_ < 2 ? 1 : length_[1];
  for_each_inner(from, to, [&](const std::byte* f, std::byte* t) {
    for (Index row = 0; row < rows; ++row)
      for (Index i = 0; i < length_[0]; ++i)
        copy_bytes(t + i * to_step_[0] + (rows == 1 ? 0 : row * to_step_[1]),
                   f + i * from_step_[0] + (rows == 1 ? 0 : row * from_step_[1]),
                   static_cast<std::size_t>(run_));
  });
}

void StridedCopy::run(const std::byte* from, std::byte* to) const noexcept {
  if (is_empty_) return;
  if (rank_ == 0) return copy_bytes(to, from, static_cast<std::size_t>(run_));
  switch (run_) {
    case 1:
      return run_units<1>(from, to);
    case 2:
      return run_units<2>(from, to);
    case 4:
      return run_units<4>(from, to);
    case 8:
      return run_units<8>(from, to);
    case 16:
      return run_units<16>(from, to);
    default:
      return run_runs(from, to);
  }
}

Index StridedCopy::bytes() const noexcept {
  Index out = is_empty_ ? 0 : run_;
  for (std::size_t axis = 0; axis < rank_; ++axis) out *= length_[axis];
  return out;
}

/// The outermost axis that is long enough to be cut into even parts, or the longest.
std::size_t StridedCopy::axis_to_cut() const noexcept {
  constexpr Index enough = 64;
  std::size_t longest = 0;
  for (std::size_t axis = rank_; axis-- > 0;) {
    if (length_[axis] >= enough) return axis;
    if (length_[axis] > length_[longest]) longest = axis;
  }
  return longest;
}

StridedCopy::Cut StridedCopy::cut() const noexcept {
  constexpr Index line = 64;
  if (rank_ == 0) return {run_, line};
  const std::size_t axis = axis_to_cut();
  const Index from = from_step_[axis], to = to_step_[axis],
              least = from > 0 && from < to ? from : to;
  return {length_[axis], least < line ? line / least : 1};
}

void StridedCopy::run_part(const std::byte* from, std::byte* to, Range part) const noexcept {
  StridedCopy own = *this;
  own.is_empty_ |= part.begin >= part.end;
  if (rank_ == 0) {
    own.run_ = part.end - part.begin;
    return own.run(from + part.begin, to + part.begin);
  }
  const std::size_t axis = axis_to_cut();
  own.length_[axis] = part.end - part.begin;
  own.run(from + part.begin * from_step_[axis], to + part.begin * to_step_[axis]);
}

}  // namespace strata::kernels
