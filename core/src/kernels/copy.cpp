#include "kernels/copy.h"

#include <cstdint>

namespace strata::kernels {
namespace {

/// Two axes of elements: `columns` is the inner one.
struct Plane {
  Index columns, from_column, to_column;
  Index rows, from_row, to_row;
};

template <std::size_t width>
void copy_row(const std::byte* from, std::byte* to, const Plane& p) {
  constexpr Index step = static_cast<Index>(width);
  if (p.from_column == 0) {
    std::byte unit[width];
    std::memcpy(unit, from, width);
    if (p.to_column == step)
      for (Index i = 0; i < p.columns; ++i) std::memcpy(to + i * step, unit, width);
    else
      for (Index i = 0; i < p.columns; ++i) std::memcpy(to + i * p.to_column, unit, width);
  } else if (p.to_column == step) {
    for (Index i = 0; i < p.columns; ++i)
      std::memcpy(to + i * step, from + i * p.from_column, width);
  } else {
    for (Index i = 0; i < p.columns; ++i)
      std::memcpy(to + i * p.to_column, from + i * p.from_column, width);
  }
}

typedef std::uint32_t V4 __attribute__((vector_size(16)));

V4 load(const std::byte* p) {
  V4 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
void store(std::byte* p, V4 v) { std::memcpy(p, &v, sizeof v); }

/// A 4 x 4 block of 32-bit elements whose columns lie side by side in `to`, its rows in `from`.
void transpose_4x4(const std::byte* from, Index from_column, std::byte* to, Index to_row) {
  const V4 a = load(from), b = load(from + from_column), c = load(from + 2 * from_column),
           d = load(from + 3 * from_column);
  const V4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5),
           ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7),
           cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5),
           cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store(to, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
  store(to + to_row, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
  store(to + 2 * to_row, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  store(to + 3 * to_row, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

/// Elements lie side by side along the columns in `to` and along the rows in `from`.
template <std::size_t width>
void transpose_block(const std::byte* from, std::byte* to, const Plane& p) {
  constexpr Index step = static_cast<Index>(width);
  Index row = 0;
  if constexpr (width == 4) {
    for (; row + 4 <= p.rows; row += 4) {
      Index i = 0;
      for (; i + 4 <= p.columns; i += 4)
        transpose_4x4(from + row * step + i * p.from_column, p.from_column,
                      to + row * p.to_row + i * step, p.to_row);
      for (; i < p.columns; ++i)
        for (Index r = row; r < row + 4; ++r)
          std::memcpy(to + r * p.to_row + i * step, from + r * step + i * p.from_column, width);
    }
  }
  for (; row < p.rows; ++row)
    for (Index i = 0; i < p.columns; ++i)
      std::memcpy(to + row * p.to_row + i * step, from + row * step + i * p.from_column, width);
}

/// By blocks small enough that their lines stay in the first cache in both places.
template <std::size_t width>
void transpose(const std::byte* from, std::byte* to, const Plane& p) {
  constexpr Index step = static_cast<Index>(width), block = width <= 4 ? 32 : 16;
  for (Index row = 0; row < p.rows; row += block)
    for (Index column = 0; column < p.columns; column += block) {
      Plane part = p;
      part.rows = p.rows - row < block ? p.rows - row : block;
      part.columns = p.columns - column < block ? p.columns - column : block;
      transpose_block<width>(from + row * step + column * p.from_column,
                             to + row * p.to_row + column * step, part);
    }
}

template <std::size_t width>
void copy_plane(const std::byte* from, std::byte* to, const Plane& p) {
  constexpr Index step = static_cast<Index>(width);
  if (p.to_column == step && p.from_row == step && p.rows > 1) return transpose<width>(from, to, p);
  for (Index row = 0; row < p.rows; ++row)
    copy_row<width>(from + row * p.from_row, to + row * p.to_row, p);
}

}  // namespace

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
  length_[rank_] = length, from_step_[rank_] = from_step, to_step_[rank_] = to_step;
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
  Plane plane{length_[0], from_step_[0], to_step_[0], 1, 0, 0};
  if (rank_ > 1)
    plane.rows = length_[1], plane.from_row = from_step_[1], plane.to_row = to_step_[1];
  if (rank_ <= 2) return copy_plane<width>(from, to, plane);
  // The order of the outer axes is free: the one that is dense in the source pairs best.
  StridedCopy planes = *this;
  for (std::size_t axis = 2; axis < rank_; ++axis)
    if (from_step_[axis] == run_ && to_step_[0] == run_) {
      plane.rows = length_[axis], plane.from_row = from_step_[axis], plane.to_row = to_step_[axis];
      planes.length_[axis] = length_[1], planes.from_step_[axis] = from_step_[1],
      planes.to_step_[axis] = to_step_[1];
      break;
    }
  planes.for_each_inner(from, to,
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

}  // namespace strata::kernels
