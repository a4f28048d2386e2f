#pragma once

#include "kernels/impl/int8_plane_rows.h"

/// Convolutions whose outputs sum up one channel each, where four bytes are multiplied at once: a
/// word holds what an output reads of a row, and is put together in a register. The image is the
/// channel with its padding, vectors lie along rows of outputs.
namespace strata::kernels {
namespace {

constexpr Index kPlaneRows = 4;  ///< of outputs, computed side by side

/// With more outputs for each channel, the product of matrices has more to do for each word.
inline bool by_planes(const ConvShape& s) {
  const Window& w = s.window;
  return s.in_channels == 1 && s.out_channels <= 2 && w.kernel[0] == 1 && w.dilation[2] == 1 &&
         w.stride[2] <= 2;
}

/// The plane's rows, and their length: those that outputs read.
inline Index plane_height(const Window& w) {
  return (w.out[1] - 1) * w.stride[1] + (w.kernel[1] - 1) * w.dilation[1] + 1;
}
inline Index plane_width(const Window& w) { return (w.out[2] - 1) * w.stride[2] + w.kernel[2]; }

/// Words of one group's image: vectors of bytes are read behind the last output.
inline Index plane_image_size(const ConvShape& s) {
  const Window& w = s.window;
  const Index bytes = w.out[0] * plane_height(w) * plane_width(w);
  return round_up(bytes + kStripSlack + kVectorBytes, 64) / static_cast<Index>(sizeof(Word));
}
/// What vectors read lies where the window says.
inline Index plane_offset_count(const ConvShape&) noexcept { return 0; }
inline void plane_offsets(const ConvShape&, Index*) noexcept {}

inline Index planes_at_once(const ConvShape& s) noexcept {
  return images_at_once(plane_image_size(s), s.groups);
}
[[gnu::cold]] inline Index planes_image_size(const ConvShape& s) noexcept {
  return images_size(plane_image_size(s), s.groups);
}

#if defined(__AVX512VNNI__)
/// The lowest n bits.
inline std::uint64_t low_bits(Index n) {
  return n >= kBlock ? ~std::uint64_t{0} : n <= 0 ? 0 : ~std::uint64_t{0} >> (kBlock - n);
}

/// A plane with its padding, of which each block is read once and written once, and a block behind
/// it.
inline void fill_plane(const ByteSource& s, std::uint8_t* out) {
  const Index width = s.extent[2], step = s.in[2];
  const __m512i padding = _mm512_set1_epi8(static_cast<char>(s.padding));
  // A row's last block runs over into the next row, whose first one is written later.
  for (Index x = (width - 1) / kBlock * kBlock; x >= 0; x -= kBlock) {
    const std::uint64_t inside = low_bits(s.inside.end - x) & ~low_bits(s.inside.begin - x);
    std::uint8_t* to = out + x;
    for (Index z = 0; z < s.extent[0]; ++z) {
      const Index iz = s.first[0] + z * s.stride[0];
      const Index rows = iz >= 0 && iz < s.in[0] ? s.in[1] : 0;
      Index offset = (iz * s.in[1] + s.first[1]) * step + s.first[2] + x;
      for (Index y = 0; y < s.extent[1]; ++y, offset += step, to += width) {
        const Index iy = s.first[1] + y;
        const bool is_there = iy >= 0 && iy < rows;
        _mm512_storeu_si512(to, _mm512_mask_loadu_epi8(padding, is_there ? inside : 0,
                                                       is_there ? s.plane + offset : s.plane));
      }
    }
  }
}
#else
inline void fill_plane(const ByteSource& s, std::uint8_t* out) {
  fill_strip(s, {0, volume(s.extent)}, out);
}
#endif

inline void flip_plane(std::uint8_t flip, Index size, Word* plane) {
  const Vu flips = broadcast_word(static_cast<Word>(flip * 0x01010101u));
  for (Index i = 0; flip != 0 && i < size; i += kVectorBytes, plane += kLanes)
    store_words(plane, load_words(plane) ^ flips);
}

inline void prepare_planes(const Int8Image& image, Range planes, Range, Word* prepared) noexcept {
  if (planes.begin == planes.end) return;
  const Window& w = image.shape.window;
  const auto* x = static_cast<const std::uint8_t*>(image.x);
  const std::uint8_t flip = right_flip(image.kind);
  const Index in = volume(w.in), step = plane_image_size(image.shape);
  ByteSource source{x,
                    x + in,
                    static_cast<std::uint8_t>(image.padding ^ flip),
                    {-w.pad[0], -w.pad[1], -w.pad[2]},
                    {w.in[0], w.in[1], w.in[2]},
                    {w.stride[0], 1, 1},
                    {w.out[0], plane_height(w), plane_width(w)},
                    places_inside(-w.pad[2], 1, w.in[2], plane_width(w))};
  for (Index group = 0; group < image.shape.groups; ++group, prepared += step) {
    fill_plane(source, reinterpret_cast<std::uint8_t*>(prepared));
    flip_plane(flip, volume(source.extent), prepared);
    source.plane += in;
    source.end += in;
  }
}

typedef Vu ByteAlignedVu __attribute__((aligned(1), may_alias));

/// Which words each 16 bytes take, and which of their bytes each word: those from `stride` times
/// its number on.
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

struct ByteSpread {
  Index reach;  ///< bytes that are read
  Vu words, bytes;

  explicit ByteSpread(Index stride)
      : reach((kLanes - 1) * stride + kGroup),
        words(load_words(reinterpret_cast<const Word*>(kSpreadTable.words[stride - 1]))),
        bytes(load_words(reinterpret_cast<const Word*>(kSpreadTable.bytes[stride - 1]))) {}

  /// What neighbouring outputs read, the first of them from p on.
  Vu operator()(const std::uint8_t* p) const {
#if defined(__AVX512VNNI__)
    // Half a vector, where that holds all of them, lies in one cache line more often.
    const __m512i all =
        reach <= kVectorBytes / 2
            ? _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))
            : _mm512_loadu_si512(p);
    const __m512i near = _mm512_permutexvar_epi32(reinterpret_cast<__m512i>(words), all);
    return reinterpret_cast<Vu>(_mm512_shuffle_epi8(near, reinterpret_cast<__m512i>(bytes)));
#else
    const Vu all = *reinterpret_cast<const ByteAlignedVu*>(p);
    const __m256i near = _mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(all),
                                                     reinterpret_cast<__m256i>(words));
    return reinterpret_cast<Vu>(_mm256_shuffle_epi8(near, reinterpret_cast<__m256i>(bytes)));
#endif
  }
};

/// Sums of rows of outputs, whose first inputs lie `down` bytes apart, from `first` on. Writes
/// whole vectors, the last of which may run over what is behind the last sum.
struct PlaneSums {
  const Window& window;
  ByteSpread spread{window.stride[2]};
  Index width = plane_width(window);

  /// R rows. Those that lie as far apart as the rows of a window of `Near`, share what they read.
  template <int R, int Near>
  void add_rows(const std::uint8_t* from, const Word* weights, Word first, Index down,
                Index columns, Word* sums) const {
    const Index next = window.dilation[1] * width, words = row_words(window);
    // A row's last vector runs over into the next row, whose first one is written later.
    for (Index x = (columns - 1) / kLanes * kLanes; x >= 0; x -= kLanes) {
      Vu sum[R];
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) sum[r] = broadcast_word(first);
      const Word* weight = weights;
      const std::uint8_t* line = from + x * window.stride[2];
      if constexpr (Near > 0) {
        for (Index k = 0; k < words; ++k, ++weight, line += kGroup) {
#pragma GCC unroll 8
          for (int l = 0; l < R + Near - 1; ++l) {
            const Vu row = spread(line + l * next);
#pragma GCC unroll 4
            for (int r = 0; r < R; ++r)
              if (l >= r && l < r + Near)
                sum[r] = add_products(sum[r], row, broadcast_word(weight[(l - r) * words]));
          }
        }
      } else {
        for (Index ky = 0; ky < window.kernel[1]; ++ky, line += next)
          for (Index k = 0; k < words; ++k) {
            const Vu w = broadcast_word(*weight++);
            const std::uint8_t* at = line + k * kGroup;
#pragma GCC unroll 4
            for (int r = 0; r < R; ++r) sum[r] = add_products(sum[r], spread(at + r * down), w);
          }
      }
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) store_words(sums + r * columns + x, sum[r]);
    }
  }
  void operator()(const std::uint8_t* from, const Word* weights, Word first, Index down, Index rows,
                  Index columns, Word* sums) const {
    if (rows < kPlaneRows) {
      for (Index y = 0; y < rows; ++y)
        add_rows<1, 0>(from + y * down, weights, first, down, columns, sums + y * columns);
      return;
    }
    const bool are_near = window.kernel[1] == 3 && down == window.dilation[1] * width;
    for (Index y = 0;;) {
      const std::uint8_t* row = from + y * down;
      Word* out = sums + y * columns;
      are_near ? add_rows<kPlaneRows, 3>(row, weights, first, down, columns, out)
               : add_rows<kPlaneRows, 0>(row, weights, first, down, columns, out);
      if (y + kPlaneRows == rows) return;
      y = min_of(y + kPlaneRows, rows - kPlaneRows);  // the last group may overlap the one before
    }
  }
};

/// The rows of outputs of a channel as one line, with what lies between them: fewer vectors, where
/// rows are short. Where vectors are long, those of many channels lie along these.
struct PlaneLine {
  Index apart;  ///< from one row to the next; 0 where they have no such line
  Index vectors;

  explicit PlaneLine(const Window& w) {
    const Index down = w.stride[1] * plane_width(w);
    apart = down % w.stride[2] == 0 ? down / w.stride[2] : 0;
    vectors = ceil_div((w.out[1] - 1) * apart + w.out[2], kLanes);
  }
  Index size() const { return vectors * kLanes; }
  bool is_better(const Window& w) const {
    return kLanes < 16 && apart > 0 && vectors < w.out[1] * ceil_div(w.out[2], kLanes) &&
           size() <= kPlaneSums;
  }
};

class PlanesConv : PlaneRows {
 public:
  explicit PlanesConv(const Int8Conv& conv) : PlaneRows(conv, plane_image_size(conv.shape)) {}

  /// Whether a channel's outputs, all of them, may be finished together with others.
  bool is_small() const { return w_.out[0] == 1 && size_ <= kPlaneSums && !conv_.row_zeros; }

  void convolve_small(Range rows) {
    const bool by_line = line_.is_better(w_);
    const Index at_once = kPlaneSums / (by_line ? line_.size() : size_);
    for (Index first = rows.begin; first < rows.end; first += at_once) {
      const Range some{first, min_of(first + at_once, rows.end)};
      if (by_line)
        write_lines(some);
      else
        write_rows(some);
    }
  }
  void convolve(Index row) {
    const Index columns_at_once = min_of(w_.out[2], kPlaneSums);
    const Index rows_at_once = min_of(w_.out[1], kPlaneSums / columns_at_once);
    char* out = output(row);
    for (Index z = 0; z < w_.out[0]; ++z)
      for (Index y = 0; y < w_.out[1]; y += rows_at_once)
        for (Index x = 0; x < w_.out[2]; x += columns_at_once) {
          const Index rows = min_of(rows_at_once, w_.out[1] - y);
          const Index columns = min_of(columns_at_once, w_.out[2] - x);
          const Index from = z * plane_height(w_) + y * w_.stride[1];
          convolve_part(row, bytes_of(row) + from * compute_.width + x * w_.stride[2], rows,
                        columns, out);
          out += rows * columns * bytes_;
        }
  }

 private:
  const std::uint8_t* bytes_of(Index row) const {
    return reinterpret_cast<const std::uint8_t*>(image(row));
  }

  struct Extent {
    Index rows, columns;
  };
  [[gnu::noinline]] void sum(const std::uint8_t* from, const Word* weights, Word first,
                             Extent extent, Word* sums) const {
    compute_(from, weights, first, down_, extent.rows, extent.columns, sums);
  }
  void write_rows(Range rows) {
    Word* sums = sums_;
    for (Index row = rows.begin; row < rows.end; ++row, sums += size_)
      sum(bytes_of(row), weights(row), first_term(row), {w_.out[1], w_.out[2]}, sums);
    finish_part<kLanes>(finish_, {rows, {0, size_}, size_, size_}, sums_, output(rows.begin));
  }
  /// By lines, all of which are made and finished in place before the first is taken apart: what
  /// has just been written by parts is slow to read at once.
  void write_lines(Range rows) {
    const Index length = line_.size();
    Word* line = sums_;
    for (Index row = rows.begin; row < rows.end; ++row, line += length)
      compute_(bytes_of(row), weights(row), first_term(row), kLanes * w_.stride[2], line_.vectors,
               kLanes, line);
    finish_part<kLanes>(finish_, {rows, {0, length}, length, length}, sums_, sums_);
    const char* from = reinterpret_cast<const char*>(sums_);
    for (Index row = rows.begin; row < rows.end; ++row, from += length * bytes_)
      take_apart(from, w_.out[1], w_.out[2], line_.apart, output(row), output(rows.end));
  }

  void convolve_part(Index row, const std::uint8_t* from, Index rows, Index columns, char* out) {
    sum(from, weights(row), first_term(row), {rows, columns}, sums_);
    if (conv_.row_zeros) {
      sum(from, ones(row), 0, {rows, columns}, room_);
      add_patches();
    }
    finish_part<kLanes>(finish_, {{row, row + 1}, {0, rows * columns}, 0, 0}, sums_, out);
  }

  const PlaneSums compute_{w_};
  const PlaneLine line_{w_};
  const Index down_ =
      w_.stride[1] * compute_.width;  ///< bytes from a row's first input to the next one's
};

/// Of several groups, all channels.
inline void convolve_planes(const Int8Conv& conv, Range channels, Range) noexcept {
  const ConvShape& s = conv.shape;
  const Range rows{channels.begin, (s.groups - 1) * s.out_channels + channels.end};
  PlanesConv planes(conv);
  if (planes.is_small()) return planes.convolve_small(rows);
  for (Index row = rows.begin; row < rows.end; ++row) planes.convolve(row);
}

}  // namespace
}  // namespace strata::kernels
