#pragma once

#include "kernels/impl/int8_words.h"

/// Strips of bytes: of a padded plane, of which strides may leave some out, read row after row.
/// Copies may write past their end; what comes next overwrites that.
namespace strata::kernels {
namespace {

constexpr Index kStrip = 4096;      ///< bytes: the strips of a word's parts stay in a first cache
constexpr Index kStripSlack = 128;  ///< that copies may write past the end

struct ByteSource {
  const std::uint8_t* plane;
  const std::uint8_t* end;  ///< of all that may be read
  std::uint8_t padding;
  Index first[3];  ///< input coordinates of the plane's first byte
  Index in[3];
  Index stride[3];
  Index extent[3];  ///< of the plane
  Range inside;     ///< bytes of a row that are not padding, where the row is not
};

/// The places along an axis that lie inside an input of `in`, when place 0 lies at `first`.
inline Range places_inside(Index first, Index stride, Index in, Index size) {
  const Index begin = first >= 0 ? 0 : min_of(ceil_div(-first, stride), size);
  const Index end = first >= in ? 0 : min_of(ceil_div(in - first, stride), size);
  return {begin, end < begin ? begin : end};
}

constexpr Index kBlock = kVectorBytes, kSmallBlock = 16;

/// Copies as many bytes as a block has.
template <Index Block, class Byte>
inline void copy_block(const Byte* from, Byte* to) {
  struct alignas(1) Bytes {
    Byte bytes[Block];
  };
  *reinterpret_cast<Bytes*>(to) = *reinterpret_cast<const Bytes*>(from);
}

/// Copies `size` bytes and, while that stays before `end`, up to a block more.
template <Index Block>
inline void copy_bytes(const char* from, char* to, Index size, const char* end) {
  if (end - to >= round_up(size, Block)) {
    for (Index i = 0; i < size; i += Block) copy_block<Block>(from + i, to + i);
    return;
  }
  for (Index i = 0; i < size; ++i) to[i] = from[i];
}

/// out[i] = value. By small blocks: padding is short, and what crosses cache lines takes long.
inline void set_bytes(std::uint8_t* out, Index n, std::uint8_t value) {
  typedef std::uint8_t Bytes __attribute__((vector_size(kSmallBlock), aligned(1), may_alias));
  const Bytes block = Bytes{} + value;
  for (Index i = 0; i < n; i += kSmallBlock) *reinterpret_cast<Bytes*>(out + i) = block;
}

/// out[i] = from[i * stride].
inline void copy_strided(const std::uint8_t* from, Index stride, const std::uint8_t* end,
                         std::uint8_t* out, Index n) {
  Index i = 0;
  if (stride == 1 && n <= kSmallBlock && end - from >= kSmallBlock)
    return copy_block<kSmallBlock>(from, out);
  if (stride == 1)
    for (; i < n && end - (from + i) >= kBlock; i += kBlock) copy_block<kBlock>(from + i, out + i);
  for (; i < n; ++i) out[i] = from[i * stride];
}

/// Bytes [bytes.begin, bytes.end) of row (z, y) of the plane.
inline void fill_row(const ByteSource& s, Index z, Index y, Range bytes, std::uint8_t* out) {
  const Index iz = s.first[0] + z * s.stride[0], iy = s.first[1] + y * s.stride[1];
  if (iz < 0 || iz >= s.in[0] || iy < 0 || iy >= s.in[1])
    return set_bytes(out, bytes.end - bytes.begin, s.padding);
  const Index begin =
      s.inside.begin > bytes.begin ? min_of(s.inside.begin, bytes.end) : bytes.begin;
  const Index end = s.inside.end > begin ? min_of(s.inside.end, bytes.end) : begin;
  set_bytes(out, begin - bytes.begin, s.padding);
  const std::uint8_t* row = s.plane + (iz * s.in[1] + iy) * s.in[2] + s.first[2];
  copy_strided(row + begin * s.stride[2], s.stride[2], s.end, out + begin - bytes.begin,
               end - begin);
  set_bytes(out + end - bytes.begin, bytes.end - end, s.padding);
}

/// Rows [y, y + n) of plane z, all inside the input and without strides along them.
inline void fill_inner_rows(const ByteSource& s, Index z, Index y, Index n, std::uint8_t* out) {
  const Index width = s.extent[2], begin = s.inside.begin, size = s.inside.end - begin;
  const Index iz = s.first[0] + z * s.stride[0], iy = s.first[1] + y * s.stride[1];
  const std::uint8_t* from = s.plane + (iz * s.in[1] + iy) * s.in[2] + s.first[2] + begin;
  set_bytes(out, begin, s.padding);
  for (; n > 0; --n, from += s.stride[1] * s.in[2], out += width) {
    copy_strided(from, 1, s.end, out + begin, size);
    set_bytes(out + begin + size, width - size, s.padding);  // and before the next row
  }
}

/// How many rows from (z, y) on `fill_inner_rows` may fill.
inline Index inner_rows(const ByteSource& s, Index z, Index y) {
  const Index iz = s.first[0] + z * s.stride[0], iy = s.first[1] + y * s.stride[1];
  if (s.stride[2] != 1 || iz < 0 || iz >= s.in[0] || iy < 0 || iy >= s.in[1]) return 0;
  return min_of(s.extent[1] - y, ceil_div(s.in[1] - iy, s.stride[1]));
}

/// Bytes [bytes.begin, bytes.end) of the plane; those behind it may be anything.
inline void fill_strip(const ByteSource& s, Range bytes, std::uint8_t* out) {
  const Index width = s.extent[2], row = bytes.begin / width;
  Index z = row / s.extent[1], y = row % s.extent[1], x = bytes.begin % width;
  std::uint8_t* const end = out + bytes.end - bytes.begin;
  while (out < end && z < s.extent[0]) {
    const Index inner = x > 0 ? 0 : min_of(inner_rows(s, z, y), (end - out) / width);
    const Index size = inner > 0 ? inner * width : min_of(width - x, end - out);
    if (inner > 0)
      fill_inner_rows(s, z, y, inner, out);
    else
      fill_row(s, z, y, {x, x + size}, out);
    out += size;
    x = 0;
    y += inner > 0 ? inner : 1;
    if (y == s.extent[1]) {
      y = 0;
      ++z;
    }
  }
}

}  // namespace
}  // namespace strata::kernels
