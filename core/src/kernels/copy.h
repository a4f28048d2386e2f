#pragma once

#include <cstddef>
#include <cstring>

#include "kernels/types.h"

namespace strata::kernels {

/// memcpy, without a call for the few bytes of a small row.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t count) noexcept {
  if (count > 64) {
    std::memcpy(to, from, count);
  } else if (count > 32) {
    std::byte a[16], b[16], c[16], d[16];  // anything larger than a register would lie in memory
    const std::byte* from_end = from + count;
    std::byte* to_end = to + count;
    std::memcpy(a, from, 16), std::memcpy(b, from + 16, 16);
    std::memcpy(c, from_end - 32, 16), std::memcpy(d, from_end - 16, 16);
    std::memcpy(to, a, 16), std::memcpy(to + 16, b, 16);
    std::memcpy(to_end - 32, c, 16), std::memcpy(to_end - 16, d, 16);
  } else if (count >= 16) {  // two blocks that may overlap
    std::byte head[16], tail[16];
    std::memcpy(head, from, 16), std::memcpy(tail, from + count - 16, 16);
    std::memcpy(to, head, 16), std::memcpy(to + count - 16, tail, 16);
  } else if (count >= 8) {
    std::byte head[8], tail[8];
    std::memcpy(head, from, 8), std::memcpy(tail, from + count - 8, 8);
    std::memcpy(to, head, 8), std::memcpy(to + count - 8, tail, 8);
  } else if (count >= 4) {
    std::byte head[4], tail[4];
    std::memcpy(head, from, 4), std::memcpy(tail, from + count - 4, 4);
    std::memcpy(to, head, 4), std::memcpy(to + count - 4, tail, 4);
  } else {
    for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
  }
}

/// A copy of elements between two places, each with a step in bytes for each axis.
class StridedCopy {
 public:
  static constexpr std::size_t kMaxAxes = 16;

  /// One element of `width` bytes.
  explicit StridedCopy(std::size_t width) noexcept : run_(static_cast<Index>(width)) {}
  /// Repeats what there is `length` times; may be called at most kMaxAxes times.
  void add_outer(Index length, Index from_step, Index to_step) noexcept;
  /// The places must not overlap.
  void run(const std::byte* from, std::byte* to) const noexcept;

  /// Bytes that are written.
  Index bytes() const noexcept;
  /// How many of these lie side by side in both places.
  Index run_bytes() const noexcept { return run_; }
  /// How threads may share it: as `things`, cut at multiples of `step`.
  struct Cut {
    Index things;
    Index step;
  };
  Cut cut() const noexcept;
  /// Copies only these things.
  void run_part(const std::byte* from, std::byte* to, Range part) const noexcept;

 private:
  std::size_t axis_to_cut() const noexcept;
  template <class Inner>
  void for_each_inner(const std::byte* from, std::byte* to, const Inner& inner) const noexcept;
  template <std::size_t width>
  void run_units(const std::byte* from, std::byte* to) const noexcept;
  void run_runs(const std::byte* from, std::byte* to) const noexcept;

  Index run_;  ///< bytes that lie side by side in both places
  std::size_t rank_ = 0;
  bool is_empty_ = false;
  // Innermost first.
  Index length_[kMaxAxes];
  Index from_step_[kMaxAxes];
  Index to_step_[kMaxAxes];
};

}  // namespace strata::kernels
