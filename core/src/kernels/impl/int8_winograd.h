#pragma once

#include "kernels/impl/int8_finish.h"
#include "kernels/impl/int8_image.h"
#include "kernels/impl/int8_tile.h"
#include "kernels/impl/pairs.h"

/// Convolution of bytes with 3x3 windows by Winograd's method F(2x2, 3x3), where the CPU multiplies
/// numbers of 16 bits: 16 products take the place of 36 for each tile of 2x2 outputs. All of it is
/// exact. Transformed images are at most 4 * 255, transformed weights, which are taken four times,
/// at most 9 * 128, and four times a sum fits into 32 bits for so many channels.
///
/// Outputs are computed in chunks of tiles, of whole rows where they fit. A prepared image holds
/// for each chunk 16 points, for each of these the words of pairs of channels, for each those of
/// the tiles; packed weights hold for each point panels of channels, [steps][channels of a panel],
/// then for each point the words that sum up what is there.
namespace strata::kernels {
namespace {

#if defined(__x86_64__) && !defined(__AVX2__)
constexpr bool kHasWinograd = false;  // few machines still run the baseline
#else
constexpr bool kHasWinograd = kGroup == 2;
#endif
constexpr int kPoints = 16;
constexpr Index kChunkTiles = 64;  ///< most of a chunk, of which a second cache keeps all sums
constexpr Index kTileOutputs = 4;

[[gnu::noinline]] inline bool repays_winograd(const ConvShape& s) {
  constexpr Index kFewest = 16;  // channels that repay the transforms
  constexpr Index kMost = 1800;  // channels whose sums fit
  const Window& w = s.window;
  for (int i = 0; i < 3; ++i)
    if (w.kernel[i] != (i == 0 ? 1 : 3) || w.stride[i] != 1 || w.dilation[i] != 1) return false;
  return s.in_channels >= kFewest && s.in_channels <= kMost && s.out_channels >= kFewest;
}

inline bool by_winograd(const ConvShape& s) { return kHasWinograd && repays_winograd(s); }

struct TileChunk {
  Index z, y, x;  ///< the first tile
  Index height, width;
  Index tiles() const { return height * width; }
};

struct TileLayout {
  Index steps;
  Index height, width;              ///< of a plane of outputs, in tiles
  Index chunk_height, chunk_width;  ///< at most

  Index rows() const { return ceil_div(height, chunk_height); }
  Index columns() const { return ceil_div(width, chunk_width); }
  /// Words of a chunk's tiles, for each point and step, and those that a vector may write behind
  /// them.
  Index words() const { return round_up(chunk_height * chunk_width + kLanes - 1, kPanel); }
  /// Words of a point, spaced so that those of all points do not share places of a cache.
  Index point_size() const { return steps * words() + kPanel; }
  Index chunk_size() const { return kPoints * point_size(); }
  TileChunk chunk(Index number) const {
    const Index column = number % columns(), row = number / columns() % rows();
    const Index y = row * chunk_height, x = column * chunk_width;
    return {number / (columns() * rows()), y, x, min_of(chunk_height, height - y),
            min_of(chunk_width, width - x)};
  }
};

[[gnu::noinline]] inline TileLayout tile_layout(const ConvShape& s) {
  TileLayout out;
  out.steps = ceil_div(s.in_channels, kGroup);
  out.height = ceil_div(s.window.out[1], 2);
  out.width = ceil_div(s.window.out[2], 2);
  out.chunk_width = max_of(1, min_of(out.width, kChunkTiles));
  const Index most = kChunkTiles / out.chunk_width;
  const Index height = max_of(1, out.height);
  out.chunk_height = ceil_div(height, ceil_div(height, most));
  return out;
}

inline Index winograd_parts(const ConvShape& s) noexcept {
  const TileLayout layout = tile_layout(s);
  return s.window.out[0] * layout.rows() * layout.columns();
}
/// How many chunks stay near, whatever the size of the image: 2 MB of them. Threads wait for each
/// other between preparing some and multiplying them, the more often the fewer there are.
inline Index winograd_parts_at_once(const ConvShape& s) noexcept {
  constexpr Index kNearWords = 1 << 19;
  return ceil_div(kNearWords, tile_layout(s).chunk_size());
}
[[gnu::cold]] inline Index winograd_image_size(const ConvShape& s) noexcept {
  return min_of(winograd_parts(s), winograd_parts_at_once(s)) * tile_layout(s).chunk_size();
}

/// Words lie where the layout says.
inline Index winograd_offset_count(const ConvShape&) noexcept { return 0; }
inline void winograd_offsets(const ConvShape&, Index*) noexcept {}

/// The transform of four neighbours, each of either sign.
template <class V>
inline void transform_inputs(const V (&x)[4], V (&out)[4]) {
  out[0] = x[0] - x[2];
  out[1] = x[1] + x[2];
  out[2] = x[2] - x[1];
  out[3] = x[1] - x[3];
}

inline Pairs load_pairs(const Word* p) { return reinterpret_cast<Pairs>(load_words(p)); }

/// Transforms a row of a chunk's tiles. `even` and `odd` are the words of the first of its four
/// rows of inputs, of every second input each, `stride` apart from row to row.
inline void transform_tiles(const Word* even, const Word* odd, Index stride, Range tiles,
                            Index point_size, Word* out) {
  for (Index t = tiles.begin; t < tiles.end; t += kLanes) {
    const Index x = t - tiles.begin;
    Pairs along[4][4];
    for (Index row = 0; row < 4; ++row) {
      const Word *e = even + row * stride + x, *o = odd + row * stride + x;
      const Pairs in[4] = {load_pairs(e), load_pairs(o), load_pairs(e + 1), load_pairs(o + 1)};
      transform_inputs(in, along[row]);
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      const Pairs in[4] = {along[0][k], along[1][k], along[2][k], along[3][k]};
      Pairs down[4];
      transform_inputs(in, down);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        store_words(out + (i * 4 + k) * point_size + t, reinterpret_cast<Vu>(down[i]));
      }
    }
  }
}

/// One step of a chunk.
inline void prepare_tiles(const Int8Image& image, const TileLayout& layout, const TileChunk& chunk,
                          Index step, Word* out) {
  constexpr Index kMostWords = (2 * kChunkTiles + 2) * 2;  // where tiles lie below each other
  alignas(64) std::uint8_t strip[kGroup][2 * kMostWords + kStripSlack];
  alignas(64) Word even[kMostWords + kLanes], odd[kMostWords + kLanes];
  const ConvShape& s = image.shape;
  const Window& w = s.window;
  const Index height = 2 * chunk.height + 2, width = chunk.width + 1;
  ByteRows rows{{}, right_flip(image.kind)};
  const auto* x = static_cast<const std::uint8_t*>(image.x);
  for (int e = 0; e < kGroup && step * kGroup + e < s.in_channels; ++e) {
    const Index left = 2 * chunk.x - w.pad[2];
    const ByteSource source{x + (step * kGroup + e) * volume(w.in),
                            x + s.in_channels * volume(w.in),
                            static_cast<std::uint8_t>(image.padding ^ rows.flip),
                            {chunk.z - w.pad[0], 2 * chunk.y - w.pad[1], left},
                            {w.in[0], w.in[1], w.in[2]},
                            {1, 1, 1},
                            {1, height, 2 * width},
                            places_inside(left, 1, w.in[2], 2 * width)};
    fill_strip(source, {0, 2 * height * width}, strip[e]);
    rows.row[e] = strip[e];
  }
  interleave<2>(rows, height * width, even);
  for (const std::uint8_t*& row : rows.row) row = row ? row + 1 : row;
  interleave<2>(rows, height * width, odd);
  for (Index y = 0; y < chunk.height; ++y)
    transform_tiles(even + 2 * y * width, odd + 2 * y * width, width,
                    {y * chunk.width, (y + 1) * chunk.width}, layout.point_size(),
                    out + step * layout.words());
}

inline void prepare_winograd(const Int8Image& image, Range steps, Range parts,
                             Word* prepared) noexcept {
  const TileLayout layout = tile_layout(image.shape);
  const Index at_once = winograd_parts_at_once(image.shape);
  for (Index part = parts.begin; part < parts.end; ++part)
    for (Index step = steps.begin; step < steps.end; ++step)
      prepare_tiles(image, layout, layout.chunk(part), step,
                    prepared + part % at_once * layout.chunk_size());
}

inline Index winograd_steps(const ConvShape& s) noexcept { return tile_layout(s).steps; }
inline Index winograd_rows(const ConvShape& s) {
  return round_up(s.out_channels, channel_rows(s.out_channels));
}
/// Words of the weights of a point, with some between points: all of them would share places of a
/// cache.
inline Index winograd_point_size(const ConvShape& s) {
  return winograd_rows(s) * tile_layout(s).steps + kPanel;
}
inline Index winograd_weights_size(const ConvShape& s) noexcept {
  return round_up(kPoints * (winograd_point_size(s) + tile_layout(s).steps), 16);
}

/// Pairs of windows of weights, as many as a vector has lanes.
struct WeightPairs {
  alignas(64) std::int16_t at[9][kLanes][kGroup] = {};

  /// Takes the windows of a lane, which lie one behind the other; missing ones are zeros.
  void take(const std::uint8_t* windows, std::uint8_t flip, Index count, Index lane) {
    for (Index e = 0; e < kGroup; ++e)
#pragma GCC unroll 9
      for (Index i = 0; i < 9; ++i)
        at[i][lane][e] = e < count ? static_cast<std::int8_t>(windows[9 * e + i] ^ flip) : 0;
  }
  /// The words of each point.
  void transform(Pairs (&points)[kPoints]) const {
    const auto along = [](Pairs a, Pairs b, Pairs c, Pairs* to, Index step) {
      to[0] = a + a;
      to[step] = a + b + c;
      to[2 * step] = a - b + c;
      to[3 * step] = c + c;
    };
    const auto weight = [&](int i) { return load_pairs(reinterpret_cast<const Word*>(at[i])); };
    Pairs rows[3][4];
    for (int y = 0; y < 3; ++y)
      along(weight(3 * y), weight(3 * y + 1), weight(3 * y + 2), rows[y], 1);
    for (int k = 0; k < 4; ++k) along(rows[0][k], rows[1][k], rows[2][k], points + k, 4);
  }
};

/// Packs into words that are zero. A vector may run over into the next step, which is packed later;
/// what lies behind the last channel, which nobody reads, is what was packed before.
inline void pack_winograd(const ConvShape& s, const void* weights, ByteKind kind,
                          Word* packed) noexcept {
  const auto* windows = static_cast<const std::uint8_t*>(weights);
  const Index width = channel_rows(s.out_channels), rows = winograd_rows(s);
  const Index steps = tile_layout(s).steps, size = steps * width,
              point_size = winograd_point_size(s);
  const auto channels = [&](Index step) { return min_of(kGroup, s.in_channels - step * kGroup); };
  WeightPairs pairs;
  Pairs points[kPoints];
  for (Index o = 0; o < rows; o += width)
    for (Index step = 0; step < steps; ++step)
      for (Index lane = 0; lane < width; lane += kLanes) {
        const Index lanes = min_of(width - lane, kLanes), first = o + lane,
                    at = step * width + lane;
        for (Index r = 0; r < lanes && first + r < s.out_channels; ++r)
          pairs.take(windows + ((first + r) * s.in_channels + step * kGroup) * 9, left_flip(kind),
                     channels(step), r);
        pairs.transform(points);
        Word* out = packed + o * steps + at;
        for (int p = 0; p < kPoints; ++p, out += point_size) {
          const Vu words = reinterpret_cast<Vu>(points[p]);
          at + kLanes <= size ? store_words(out, words) : store_first_words(out, words, lanes);
        }
      }
  constexpr std::uint8_t ones[9 * kGroup] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  packed += kPoints * point_size;
  for (Index step = 0; step < steps; ++step) {
    pairs.take(ones, 0, channels(step), 0);
    pairs.transform(points);
    for (int p = 0; p < kPoints; ++p)
      packed[p * steps + step] = static_cast<Word>(reinterpret_cast<Vu>(points[p])[0]);
  }
}

/// A chunk's outputs of some channels.
struct WinogradChunk {
  const Int8Conv& conv;
  const TileLayout& layout;
  TileChunk chunk;
  const Word* image;
  const Index (&offsets)[8];

  Index out_height() const {
    return min_of(2 * chunk.height, conv.shape.window.out[1] - 2 * chunk.y);
  }
  Index out_width() const {
    return min_of(2 * chunk.width, conv.shape.window.out[2] - 2 * chunk.x);
  }

  /// The sums of each point of some channels, `kChunkTiles` apart.
  [[gnu::noinline]] void multiply(const Word* left, Index width, Index point_size, Index rows,
                                  Word* sums) const {
    const Index words = layout.words(), panels = ceil_div(chunk.tiles(), kPanel);
    for (int p = 0; p < kPoints; ++p)
      compute_sums<Word>({left + p * point_size,
                          width,
                          image + p * layout.point_size(),
                          kPanel,
                          {offsets, 8, 8 * words},
                          layout.steps,
                          kChunkTiles},
                         rows, panels, sums + p * rows * kChunkTiles);
  }

  /// The outputs, row after row, from the sums of points `point_size` apart.
  void transform(const Word* sums, Index point_size, Word* out) const {
    const Index width = out_width();
    for (Index y = 0; y < out_height(); ++y, out += width)
      for (Index x = 0; x < chunk.width; x += kLanes) {
        const Word* tile = sums + y / 2 * chunk.width + x;
        Vu down[4];
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) {
          const auto at = [&](int i) { return load_words(tile + (i * 4 + k) * point_size); };
          down[k] = y % 2 == 0 ? at(0) + at(1) + at(2) : at(1) - at(2) - at(3);
        }
        const Vi first = reinterpret_cast<Vi>(down[0] + down[1] + down[2]) >> 2;
        const Vi second = reinterpret_cast<Vi>(down[1] - down[2] - down[3]) >> 2;
        store_pairs(reinterpret_cast<float*>(out + 2 * x), reinterpret_cast<Vf>(first),
                    reinterpret_cast<Vf>(second));
      }
  }

  /// Whether outputs lie in y as they are computed.
  bool is_run() const { return chunk.width == layout.width; }

  /// Finishes the outputs of a channel; `patches` are the sums of what each has read. The last row
  /// comes first, since finishing may write behind a row.
  void finish(Index channel, const Word* patches, Word* outputs) const {
    const Window& w = conv.shape.window;
    const Index height = out_height(), width = out_width(), at_once = is_run() ? height : 1;
    SumFinish finish = conv.finish;
    for (Index y = height - at_once; y >= 0; y -= at_once) {
      if (conv.row_zeros) finish.terms[0] = {conv.row_zeros, patches + y * width};
      const Index row = (channel * w.out[0] + chunk.z) * w.out[1] + 2 * chunk.y + y;
      const Index at = (row * w.out[2] + 2 * chunk.x) * output_width(finish.output);
      finish_part<kLanes>(finish, {{channel, channel + 1}, {0, at_once * width}, 0, 0},
                          outputs + y * width, static_cast<char*>(conv.y) + at);
    }
  }

  void compute(Range channels) const {
    constexpr Index kRow = kTileOutputs * kChunkTiles + 2 * kLanes;
    alignas(64) Word sums[kPoints * kMaxTileRows * kChunkTiles + kLanes];
    alignas(64) Word outputs[kMaxTileRows * kRow + kSumsSlack], patches[kRow];
    const Index step = channel_rows(conv.shape.out_channels);
    const Index point_size = winograd_point_size(conv.shape);
    if (conv.row_zeros) {
      multiply(conv.weights + kPoints * point_size, 1, layout.steps, 1, sums);
      transform(sums, kChunkTiles, patches);
    }
    for (Index o = channels.begin; o < channels.end; o += step) {
      const Index rows = min_of(step, channels.end - o);
      multiply(conv.weights + o * layout.steps, step, point_size, rows, sums);
      for (Index r = 0; r < rows; ++r)
        transform(sums + r * kChunkTiles, rows * kChunkTiles, outputs + r * kRow);
      for (Index r = 0; r < rows; ++r) finish(o + r, patches, outputs + r * kRow);
    }
  }
};

inline void convolve_winograd(const Int8Conv& conv, Range channels, Range parts) noexcept {
  const TileLayout layout = tile_layout(conv.shape);
  const Index at_once = winograd_parts_at_once(conv.shape);
  Index offsets[8];
  for (Index i = 0; i < 8; ++i) offsets[i] = i * layout.words();
  for (Index part = parts.begin; part < parts.end; ++part)
    WinogradChunk{conv, layout, layout.chunk(part),
                  conv.image + part % at_once * layout.chunk_size(), offsets}
        .compute(channels);
}

constexpr Int8ConvMethod kByWinograd{.way = ByteConvWay::winograd,
                                     .weights_size = winograd_weights_size,
                                     .pack_weights = pack_winograd,
                                     .image_size = winograd_image_size,
                                     .image_planes = winograd_steps,
                                     .prepare_image = prepare_winograd,
                                     .image_steps = winograd_offset_count,
                                     .image_offsets = winograd_offsets,
                                     .groups_at_once = only_one,
                                     .channel_step = int8_channel_step,
                                     .parts = winograd_parts,
                                     .parts_at_once = winograd_parts_at_once,
                                     .convolve = convolve_winograd};

}  // namespace
}  // namespace strata::kernels
