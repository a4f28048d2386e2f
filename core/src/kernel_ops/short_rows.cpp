#include "kernel_ops/short_rows.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace strata {
namespace {

template <class T>
void fill_with(std::byte* to, const std::byte* from, std::int64_t count) {
  std::fill_n(reinterpret_cast<T*>(to), count, *reinterpret_cast<const T*>(from));
}

}  // namespace

void fill(std::byte* to, const std::byte* from, std::size_t width, std::int64_t count) {
  switch (width) {
    case 1:
      return fill_with<std::uint8_t>(to, from, count);
    case 2:
      return fill_with<std::uint16_t>(to, from, count);
    case 4:
      return fill_with<std::uint32_t>(to, from, count);
    case 8:
      return fill_with<std::uint64_t>(to, from, count);
    default:
      return fill_with<std::array<std::uint64_t, 2>>(to, from, count);
  }
}

const std::byte* ShortRows::read(std::int64_t first, std::int64_t count) {
  const auto width = static_cast<std::int64_t>(width_);
  const std::byte* from = data_ + first * row_step_ * width;
  if (step_ == 1 && row_step_ == n_) return from;
  std::byte* to = copies_;
  for (std::int64_t row = 0; row < count; ++row, from += row_step_ * width, to += n_ * width)
    if (step_ == 1)
      std::memcpy(to, from, width_ * static_cast<std::size_t>(n_));
    else
      fill(to, from, width_, n_);
  return copies_;
}

}  // namespace strata
