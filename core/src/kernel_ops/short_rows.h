#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernel_ops/broadcast.h"

namespace strata {

/// `count` times the number at `from`, of 1, 2, 4, 8 or 16 bytes.
void fill(std::byte* to, const std::byte* from, std::size_t width, std::int64_t count);

/// Rows of fewer elements are not worth a call each.
inline constexpr std::int64_t kShortRow = 32;

/// Whether the operands step through short rows of two axes.
template <std::size_t N>
bool has_short_rows(const Broadcast<N>& axes) {
  return axes.rank == 2 && axes.size[0] < kShortRow;
}

/// Short rows of one operand of a Broadcast, some of them at a time.
class ShortRows {
 public:
  template <std::size_t N>
  ShortRows(const Broadcast<N>& axes, std::size_t operand, const TensorView& data)
      : data_(data.data),
        width_(bit_width(data.dtype) / 8),
        n_(axes.size[0]),
        step_(axes.step[operand][0]),
        row_step_(axes.step[operand][1]) {}

  /// Calls `run(first, count)` for some of `rows` at a time, no more than `read` has room for: each
  /// of n elements that are at most `width` bytes wide.
  template <class Run>
  static void for_each_block(std::int64_t rows, std::int64_t n, std::size_t width, const Run& run) {
    const std::int64_t most = static_cast<std::int64_t>(kBytes / width) / n;
    for (std::int64_t first = 0; first < rows; first += most)
      run(first, std::min(most, rows - first));
  }
  /// Where `count` rows from `first` on lie side by side, with an element each for every element of
  /// the output: in the operand itself, or in memory of this.
  const std::byte* read(std::int64_t first, std::int64_t count);

 private:
  static constexpr std::size_t kBytes = 2048;

  const std::byte* data_;
  std::size_t width_;
  std::int64_t n_, step_, row_step_;
  alignas(64) std::byte copies_[kBytes];
};

}  // namespace strata
