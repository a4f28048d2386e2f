#include "kernels/byte_pool.h"

#include <algorithm>
#include <cstring>

#include "kernels/copy.h"

/// By strips: a part of a padded plane or volume is copied, every byte of it becomes the greatest
/// of those under a window that begins there, and the outputs are picked from these. So vectors are
/// full, however short the rows.
namespace strata::kernels {
namespace {

constexpr Index kVector = 16;
constexpr Index kBlock = 4 * kVector;  ///< bytes that are folded at once

/// Bytes of a strip at most: any window, and a part of a first cache.
constexpr Index kStrip = BytePool::kMostSpanned;

/// Inputs along an axis from the first tap of `outputs` neighbours to the last.
Index spanned(const Window& w, int axis, Index outputs) {
  return (outputs - 1) * w.stride[axis] + (w.kernel[axis] - 1) * w.dilation[axis] + 1;
}

/// As many outputs side by side as span no more than `most` inputs.
Index outputs_within(const Window& w, int axis, Index most) {
  return std::min(w.out[axis], (most - spanned(w, axis, 1)) / w.stride[axis] + 1);
}

/// to[i] = the greatest of from[i + t * step], t < taps, i < n; what follows may be anything. `to`
/// may be `from`. A function of its own, as `copy` below is: calls are many, and each takes long.
template <class Byte>
[[gnu::noinline]] void fold(const std::uint8_t* from, std::uint8_t* to, Index n, Index taps,
                            Index step) {
  typedef Byte Bytes __attribute__((vector_size(kVector)));
  for (Index i = 0; i < n; i += kBlock) {
    Bytes most[kBlock / kVector], each;
    std::memcpy(most, from + i, kBlock);
    for (Index t = 1; t < taps; ++t)
#pragma GCC unroll 4
      for (Index v = 0; v < kBlock / kVector; ++v) {
        std::memcpy(&each, from + i + t * step + v * kVector, kVector);
        most[v] = most[v] > each ? most[v] : each;
      }
    std::memcpy(to + i, most, kBlock);
  }
}

[[gnu::noinline]] void copy(const std::uint8_t* from, std::uint8_t* to, Index n) {
  copy_bytes(reinterpret_cast<std::byte*>(to), reinterpret_cast<const std::byte*>(from),
             static_cast<std::size_t>(n));
}

/// to[i] = from[i * stride], of which a vector more may be read.
void copy_every(const std::uint8_t* from, Index stride, std::uint8_t* to, Index n) {
  if (stride == 1) return copy(from, to, n);
  typedef std::uint16_t Pairs __attribute__((vector_size(kVector)));
  typedef std::uint8_t Bytes __attribute__((vector_size(kVector / 2)));
  Index i = 0;
  for (; stride == 2 && i + kVector / 2 <= n; i += kVector / 2) {
    Pairs pairs;
    std::memcpy(&pairs, from + 2 * i, kVector);
    const Bytes even = __builtin_convertvector(pairs & 0xFF, Bytes);
    std::memcpy(to + i, &even, sizeof even);
  }
  for (; i < n; ++i) to[i] = from[i * stride];
}

/// Outputs of one plane or volume: some of the rows at one depth, and of their columns.
struct Strip {
  const BytePool& call;
  Index plane;
  Index depth;
  Range rows;
  Range columns;

  Index height() const { return spanned(call.window, 1, rows.end - rows.begin); }
  Index width() const { return spanned(call.window, 2, columns.end - columns.begin); }

  /// Copies the inputs of all windows: [taps along the depth, height, width].
  void fill(std::uint8_t* strip) const {
    const Window& w = call.window;
    const Index top = rows.begin * w.stride[1] - w.pad[1];
    const Index left = columns.begin * w.stride[2] - w.pad[2];
    const Range inside{std::max<Index>(top, 0), std::min(top + height(), w.in[1])};
    const Index begin = std::max<Index>(left, 0), end = std::min(left + width(), w.in[2]);
    std::memset(strip, call.is_signed ? 0x80 : 0,
                static_cast<std::size_t>(w.kernel[0] * height() * width()));
    for (Index tap = 0; tap < w.kernel[0]; ++tap) {
      const Index z = depth * w.stride[0] + tap * w.dilation[0] - w.pad[0];
      if (z < 0 || z >= w.in[0] || begin >= end) continue;
      const std::uint8_t* x = call.x + (plane * w.in[0] + z) * w.in[1] * w.in[2] + begin;
      std::uint8_t* to = strip + tap * height() * width() + begin - left;
      for (Index y = inside.begin; y < inside.end; ++y)
        copy(x + y * w.in[2], to + (y - top) * width(), end - begin);
    }
  }

  /// Of the rows where windows begin, the greatest bytes.
  template <class Byte>
  void fold_all(std::uint8_t* strip, std::uint8_t* folded) const {
    const Window& w = call.window;
    const Index all = height() * width(), count = rows.end - rows.begin;
    if (w.kernel[0] > 1) fold<Byte>(strip, strip, all, w.kernel[0], all);
    const Index at_once = w.stride[1] == 1 ? count : 1;
    for (Index row = 0; row < count; row += at_once)
      fold<Byte>(strip + row * w.stride[1] * width(), folded + row * width(), at_once * width(),
                 w.kernel[1], w.dilation[1] * width());
    fold<Byte>(folded, folded, count * width(), w.kernel[2], w.dilation[2]);
  }

  /// Of each such row, the bytes where windows begin.
  void pick(const std::uint8_t* folded) const {
    const Window& w = call.window;
    std::uint8_t* y = call.y + (plane * w.out[0] + depth) * w.out[1] * w.out[2] + columns.begin;
    for (Index row = rows.begin; row < rows.end; ++row, folded += width())
      copy_every(folded, w.stride[2], y + row * w.out[2], columns.end - columns.begin);
  }
};

}  // namespace

void byte_pool(const BytePool& call, Range planes) noexcept {
  // A fold reads on behind the strip, by as much as a window and a block.
  alignas(64) std::uint8_t strip[2 * kStrip + kBlock], folded[2 * kStrip + kBlock];
  const Window& w = call.window;
  const Index width = outputs_within(w, 2, kStrip / (w.kernel[0] * spanned(w, 1, 1)));
  const Index height = outputs_within(w, 1, kStrip / (w.kernel[0] * spanned(w, 2, width)));
  for (Index plane = planes.begin; plane < planes.end; ++plane)
    for (Index z = 0; z < w.out[0]; ++z)
      for (Index y = 0; y < w.out[1]; y += height)
        for (Index x = 0; x < w.out[2]; x += width) {
          const Range rows{y, std::min(y + height, w.out[1])};
          const Range columns{x, std::min(x + width, w.out[2])};
          const Strip part{call, plane, z, rows, columns};
          part.fill(strip);
          call.is_signed ? part.fold_all<std::int8_t>(strip, folded)
                         : part.fold_all<std::uint8_t>(strip, folded);
          part.pick(folded);
        }
}

}  // namespace strata::kernels
