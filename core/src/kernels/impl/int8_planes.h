#pragma once

#include "kernels/impl/int8_bytes.h"
#include "kernels/impl/int8_finish.h"

/// Convolutions whose outputs sum up one channel each, where four bytes are multiplied at once: a word
/// holds what an output reads of a row, and is put together in a register. The image is the channel with
/// its padding, vectors lie along rows of outputs.
namespace strata::kernels {
namespace {

constexpr Index kPlaneSums = 1024;  ///< finished together
constexpr Index kPlaneRows = 4;     ///< of outputs, computed side by side

/// With more outputs for each channel, the product of matrices has more to do for each word.
inline bool by_planes(const ConvShape& s) noexcept {
  const Window& w = s.window;
  return kGroup == 4 && s.in_channels == 1 && s.out_channels <= 2 && w.kernel[0] == 1 &&
         w.dilation[2] == 1 && w.stride[2] <= 2;
}

/// Words that a row of the window takes.
inline Index row_words(const Window& w) { return ceil_div(w.kernel[2], kGroup); }
inline Index plane_steps(const Window& w) { return w.kernel[1] * row_words(w); }

/// The plane's rows, and their length: those that outputs read.
inline Index plane_height(const Window& w) {
  return (w.out[1] - 1) * w.stride[1] + (w.kernel[1] - 1) * w.dilation[1] + 1;
}
inline Index plane_width(const Window& w) { return (w.out[2] - 1) * w.stride[2] + w.kernel[2]; }

/// A row of words for each channel, and one of ones.
inline Index planes_weights_size(const ConvShape& s) {
  return (s.out_channels + 1) * plane_steps(s.window);
}
[[gnu::cold]] inline void pack_plane_weights(const ConvShape& s, const std::uint8_t* weights,
                                             std::uint8_t flip, Word* packed) {
  const Index width = s.window.kernel[2], rows = s.out_channels * s.window.kernel[1];
  for (Index row = 0; row < rows; ++row, weights += width)
    for (Index x = 0; x < width; x += kGroup)
      *packed++ = left_word(weights + x, 1, flip, min_of(kGroup, width - x));
  for (Index row = 0; row < s.window.kernel[1]; ++row)
    for (Index x = 0; x < width; ++x)
      packed[row * row_words(s.window) + x / kGroup] |=
          static_cast<Word>(left_part(1, static_cast<int>(x % kGroup)));
}

/// Vectors of bytes are read behind the last output.
inline Index planes_image_size(const ConvShape& s) {
  const Window& w = s.window;
  const Index bytes = w.out[0] * plane_height(w) * plane_width(w);
  return round_up(bytes + kStripSlack + kVectorBytes, 64) / static_cast<Index>(sizeof(Word));
}

#if defined(__AVX512VNNI__)
/// The lowest n bits.
inline std::uint64_t low_bits(Index n) {
  return n >= kBlock ? ~std::uint64_t{0} : n <= 0 ? 0 : ~std::uint64_t{0} >> (kBlock - n);
}

/// A plane with its padding, of which each block is read once and written once.
inline void fill_plane(const ByteSource& s, std::uint8_t* out) {
  const __m512i padding = _mm512_set1_epi8(static_cast<char>(s.padding));
  const Index width = s.extent[2], rows = s.extent[0] * s.extent[1];
  for (Index x = 0; x < width; x += kBlock) {
    const __mmask64 inside = low_bits(s.inside.end - x) & ~low_bits(s.inside.begin - x);
    const __mmask64 kept = low_bits(width - x);
    Index y = 0, z = 0;
    for (Index row = 0; row < rows; ++row, ++y) {
      if (y == s.extent[1]) y = 0, ++z;
      const Index iz = s.first[0] + z * s.stride[0], iy = s.first[1] + y;
      const std::uint8_t* from = s.plane + (iz * s.in[1] + iy) * s.in[2] + s.first[2] + x;
      const bool is_there = iz >= 0 && iz < s.in[0] && iy >= 0 && iy < s.in[1];
      const __m512i block = is_there ? _mm512_mask_loadu_epi8(padding, inside, from) : padding;
      _mm512_mask_storeu_epi8(out + row * width + x, kept, block);
    }
  }
}
#else
inline void fill_plane(const ByteSource& s, std::uint8_t* out) {
  fill_strip(s, {0, volume(s.extent)}, out);
}
#endif

inline void prepare_planes(const Int8Image& image, Word* prepared) {
  const Window& w = image.shape.window;
  const auto* x = static_cast<const std::uint8_t*>(image.x);
  const std::uint8_t flip = right_flip(image.kind);
  const ByteSource source{x,
                          x + volume(w.in),
                          static_cast<std::uint8_t>(image.padding ^ flip),
                          {-w.pad[0], -w.pad[1], -w.pad[2]},
                          {w.in[0], w.in[1], w.in[2]},
                          {w.stride[0], 1, 1},
                          {w.out[0], plane_height(w), plane_width(w)},
                          places_inside(-w.pad[2], 1, w.in[2], plane_width(w))};
  const Index size = volume(source.extent);
  fill_plane(source, reinterpret_cast<std::uint8_t*>(prepared));
  const Vu flips = broadcast_word(flip * 0x01010101);
  for (Index i = 0; flip != 0 && i < size; i += kVectorBytes, prepared += kLanes)
    store_words(prepared, load_words(prepared) ^ flips);
}

typedef Vu ByteAlignedVu __attribute__((aligned(1), may_alias));

/// Which words each 16 bytes take, and which of their bytes each word: those from `stride` times its
/// number on.
struct SpreadTable {
  std::uint32_t words[2][kLanes], bytes[2][kLanes];
};
constexpr SpreadTable make_spread_table() {
  SpreadTable table{};
  for (unsigned stride = 1; stride <= 2; ++stride)
    for (unsigned i = 0; i < kLanes; ++i) {
      table.words[stride - 1][i] = i / 4 * stride + i % 4;
      table.bytes[stride - 1][i] = 0x03020100u + i % 4 * stride * 0x01010101u;
    }
  return table;
}
constexpr SpreadTable kSpreadTable = make_spread_table();

struct Spread {
  Vu words, bytes;

  explicit Spread(Index stride)
      : words(load_words(reinterpret_cast<const Word*>(kSpreadTable.words[stride - 1]))),
        bytes(load_words(reinterpret_cast<const Word*>(kSpreadTable.bytes[stride - 1]))) {}

  /// What neighbouring outputs read, the first of them from p on.
  Vu operator()(const std::uint8_t* p) const {
    const Vu all = *reinterpret_cast<const ByteAlignedVu*>(p);
#if defined(__AVX512VNNI__)
    const __m512i near =
        _mm512_permutexvar_epi32(reinterpret_cast<__m512i>(words), reinterpret_cast<__m512i>(all));
    return reinterpret_cast<Vu>(_mm512_shuffle_epi8(near, reinterpret_cast<__m512i>(bytes)));
#elif defined(__AVXVNNI__)
    const __m256i near = _mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(all),
                                                     reinterpret_cast<__m256i>(words));
    return reinterpret_cast<Vu>(_mm256_shuffle_epi8(near, reinterpret_cast<__m256i>(bytes)));
#else
    return all;
#endif
  }
};

/// The sums of some columns of rows of outputs.
struct PlaneSums {
  const Window& window;
  Spread spread{window.stride[2]};
  Index width = plane_width(window);

  template <int R>
  void add_rows(const std::uint8_t* from, const Word* weights, Index columns, Word* sums) const {
    const Index down = window.stride[1] * width, next = window.dilation[1] * width;
    for (Index x = 0; x < columns; x += kLanes, from += kLanes * window.stride[2]) {
      Vu sum[R] = {};
      const Word* weight = weights;
      for (Index ky = 0; ky < window.kernel[1]; ++ky)
        for (Index kx = 0; kx < window.kernel[2]; kx += kGroup) {
          const Vu w = broadcast_word(*weight++);
          const std::uint8_t* at = from + ky * next + kx;
#pragma GCC unroll 4
          for (int r = 0; r < R; ++r) sum[r] = add_products(sum[r], spread(at + r * down), w);
        }
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        Word* out = sums + r * columns + x;
        columns - x < kLanes ? store_first_words(out, sum[r], columns - x)
                             : store_words(out, sum[r]);
      }
    }
  }
  void operator()(const std::uint8_t* from, const Word* weights, Index rows, Index columns,
                  Word* sums) const {
    const Index down = window.stride[1] * width;
    if (rows < kPlaneRows) {
      for (Index y = 0; y < rows; ++y)
        add_rows<1>(from + y * down, weights, columns, sums + y * columns);
      return;
    }
    for (Index y = 0;;) {
      add_rows<kPlaneRows>(from + y * down, weights, columns, sums + y * columns);
      if (y + kPlaneRows == rows) return;
      y = min_of(y + kPlaneRows, rows - kPlaneRows);  // the last group may overlap the one before
    }
  }
};

inline void convolve_planes(const Int8Conv& conv, Range channels) {
  alignas(64) Word sums[kPlaneSums + kLanes], patches[kPlaneSums + kLanes];
  const Window& w = conv.shape.window;
  const PlaneSums compute{w};
  const auto* image = reinterpret_cast<const std::uint8_t*>(conv.image);
  const Index steps = plane_steps(w), bytes = output_width(conv.finish.output);
  const Index columns_at_once = min_of(w.out[2], kPlaneSums);
  const Index rows_at_once = min_of(w.out[1], kPlaneSums / columns_at_once);
  SumFinish finish = conv.finish;
  auto* out = static_cast<char*>(conv.y) + channels.begin * volume(w.out) * bytes;
  for (Index channel = channels.begin; channel < channels.end; ++channel)
    for (Index z = 0; z < w.out[0]; ++z)
      for (Index y = 0; y < w.out[1]; y += rows_at_once)
        for (Index x = 0; x < w.out[2]; x += columns_at_once) {
          const Index rows = min_of(rows_at_once, w.out[1] - y);
          const Index columns = min_of(columns_at_once, w.out[2] - x);
          const std::uint8_t* from =
              image + (z * plane_height(w) + y * w.stride[1]) * compute.width + x * w.stride[2];
          compute(from, conv.weights + channel * steps, rows, columns, sums);
          if (conv.row_zeros) {
            compute(from, conv.weights + conv.shape.out_channels * steps, rows, columns, patches);
            finish.terms[0] = {conv.row_zeros, patches};
          }
          finish_row<kLanes>(finish, {channel, 0, rows * columns}, sums, out);
          out += rows * columns * bytes;
        }
}

}  // namespace
}  // namespace strata::kernels
