#pragma once

#include "kernels/impl/int8_table.h"

/// Products of bytes by AMX: an instruction multiplies two tiles, registers of up to 16 rows of 64
/// bytes. A tile of a right operand is the words of some steps for 16 columns, which lie as they do
/// for vectors; a left operand is packed by tiles.
namespace strata::kernels {
namespace {

constexpr Index kTileSize = 16;             ///< most rows of a tile, and words of a row
constexpr Index kPairRows = 2 * kTileSize;  ///< of sums that are computed at once

/// Even blocks of steps, each as many as a tile has. The last one ends with the last step, so it
/// meets some steps a second time, with weights of zero.
struct StepBlocks {
  Index steps;
  Index count;
  Index height;

  Index begin(Index block) const { return min_of(block * height, steps - height); }
  /// How many of its steps have been met before.
  Index met(Index block) const { return block * height - begin(block); }
};

inline StepBlocks step_blocks(Index steps) {
  const Index count = ceil_div(steps, kTileSize);
  return {steps, count, ceil_div(steps, count)};
}

/// Rows of a tile: spread evenly over as few tiles as hold them.
inline Index tile_rows(Index rows) { return ceil_div(rows, ceil_div(rows, kTileSize)); }

/// The registers of this thread, for tiles of some rows of sums and blocks of some steps, while it
/// lives: 0 to 3 are sums, 4 and 5 of a left operand, 6 and 7 of a right one.
class TileRegisters {
 public:
  TileRegisters(Index rows, Index steps) {
    struct alignas(64) Configuration {
      std::uint8_t palette = 1;
      std::uint8_t unused[15] = {};
      std::uint16_t row_bytes[16] = {};
      std::uint8_t rows[16] = {};
    } all;
    for (int tile = 0; tile < 8; ++tile) {
      const bool is_left = tile == 4 || tile == 5, is_right = tile >= 6;
      all.row_bytes[tile] = static_cast<std::uint16_t>(is_left ? steps * sizeof(Word) : 64);
      all.rows[tile] = static_cast<std::uint8_t>(is_right ? steps : rows);
    }
    // GCC's intrinsic names only the first eight bytes as what is read.
    asm volatile("" : "+m"(all));
    _tile_loadconfig(&all);
  }
  ~TileRegisters() { _tile_release(); }
  TileRegisters(const TileRegisters&) = delete;
  TileRegisters& operator=(const TileRegisters&) = delete;
};

/// How a left operand lies: [panels of rows][places][blocks][rows][words]. Sums go over the same
/// number of steps at each place, which is one tap of a convolution.
struct PackedTiles {
  Index rows;
  Index places;
  StepBlocks blocks;
  Index width;  ///< rows of a panel

  PackedTiles(Index all_rows, Index steps, Index all_places = 1)
      : rows(all_rows), places(all_places), blocks(step_blocks(steps)), width(tile_rows(rows)) {}

  Index tile_words() const { return width * blocks.height; }
  Index row_words() const { return places * blocks.count * blocks.height; }
  Index panel_words() const { return width * row_words(); }
  Index words() const { return round_up(rows, width) * row_words(); }
  /// Where the word of a row lies.
  Index at(Index row, Index place, Index step) const {
    const Index block = step / blocks.height;
    return row / width * panel_words() + (place * blocks.count + block) * tile_words() +
           row % width * blocks.height + step - blocks.begin(block);
  }
};

/// The steps of a place are words `step` apart, from its offset on behind those of the first
/// column; panels of columns are `panel_step` apart.
struct AmxOperands {
  const PackedTiles& tiles;
  const Word* left;
  const Word* right;
  Index panel_step;
  const Index* offsets;
  Index step;
};

/// Words that will be read soon: this many lines of them are fetched with each block.
struct WordsAhead {
  const Word* at = nullptr;
  Index lines = 0;

  void fetch() {
    for (Index line = 0; line < lines; ++line, at += kTileSize) __builtin_prefetch(at, 0, 2);
  }
};

/// Which second tiles there are beside the first tile of rows and of columns.
struct SecondTiles {
  bool rows, columns;
};

/// Sums of a tile of rows, or of two, for a tile of columns, or for two; rows lie kChunk apart.
/// Registers 0 to 3 hold the sums, those of second columns in 1 and 3, of second rows in 2 and 3;
/// 4 and 5 hold tiles of the left operand, 6 and 7 of the right one.
[[gnu::noinline]] void multiply_tiles(const AmxOperands& o, const Word* right, SecondTiles second,
                                      WordsAhead& ahead, Word* sums) {
  const StepBlocks& blocks = o.tiles.blocks;
  const Index left_row = blocks.height * static_cast<Index>(sizeof(Word));
  const Index right_row = o.step * static_cast<Index>(sizeof(Word));
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  const Word* left = o.left;
  for (Index place = 0; place < o.tiles.places; ++place) {
    for (Index block = 0; block < blocks.count; ++block, left += o.tiles.tile_words()) {
      const Word* words = right + o.offsets[place] + blocks.begin(block) * o.step;
      _tile_loadd(6, words, right_row);
      _tile_loadd(4, left, left_row);
      _tile_dpbsud(0, 4, 6);
      if (second.columns) {
        _tile_loadd(7, words + kTileSize, right_row);
        _tile_dpbsud(1, 4, 7);
      }
      if (second.rows) {
        _tile_loadd(5, left + o.tiles.panel_words(), left_row);
        _tile_dpbsud(2, 5, 6);
        if (second.columns) _tile_dpbsud(3, 5, 7);
      }
      ahead.fetch();
    }
  }
  constexpr Index kRow = kChunk * static_cast<Index>(sizeof(Word));
  Word* below = sums + kChunk * o.tiles.width;
  _tile_stored(0, sums, kRow);
  _tile_stored(1, sums + kTileSize, kRow);
  if (!second.rows) return;
  _tile_stored(2, below, kRow);
  _tile_stored(3, below + kTileSize, kRow);
}

/// Sums of one or two panels of rows and up to a chunk of columns.
[[gnu::noinline]] void compute_tiles(const AmxOperands& o, bool has_second_rows, Index columns,
                                     WordsAhead& ahead, Word* sums) {
  const Word* right = o.right;
  for (Index j = 0; j < columns; j += kPanel, right += o.panel_step)
    multiply_tiles(o, right, {has_second_rows, columns - j > kTileSize}, ahead, sums + j);
}

/// Whether the sums of so many rows and steps, at so many places, take less time by tiles than by
/// vectors. Not inlined, for size: all kernels ask.
[[gnu::noinline]] bool by_tiles(Index rows, Index steps, Index places = 1) {
  constexpr Index kStart = 200;  // of a panel's sums: cycles, as measured, until tiles are busy
  if (rows == 0 || steps == 0) return false;
  const StepBlocks blocks = step_blocks(steps);
  const Index block = 2 * max_of(min_of(rows, kPairRows), blocks.height);
  const Index tiles = ceil_div(rows, kPairRows) * (places * blocks.count * block + kStart);
  return tiles < rows * steps * places;
}

inline Index pair_step(Index rows) { return rows > kTileSize ? 2 * tile_rows(rows) : rows; }

Index amx_row_step(Index m, Index k) noexcept {
  return by_tiles(m, steps_of(k)) ? pair_step(m) : int8_row_step(m);
}
Index amx_left_size(Index m, Index k) noexcept {
  if (!by_tiles(m, steps_of(k))) return int8_left_size(m, k);
  return PackedTiles(m, steps_of(k)).words();
}

/// Bits `begin` to `end` - 1.
inline std::uint64_t bits_of(Index begin, Index end) {
  const auto below = [](Index n) {
    return n < 64 ? (std::uint64_t{1} << n) - 1 : ~std::uint64_t{0};
  };
  return below(end) & ~below(begin);
}

/// Packs a row and returns its sum.
inline Word pack_tile_row(const std::uint8_t* row, Index stride, Index k, std::uint8_t flip,
                          const PackedTiles& tiles, Word* out) {
  const StepBlocks& blocks = tiles.blocks;
  Vu sum{};
  for (Index block = 0; block < blocks.count; ++block, out += tiles.tile_words()) {
    const Index first = blocks.begin(block) * kGroup, met = blocks.met(block) * kGroup;
    const Index end = min_of(blocks.height * kGroup, k - first);
    const std::uint8_t* from = row + first * stride;
    std::uint8_t near[kTileSize * kGroup];
    if (stride != 1) {
      for (Index i = met; i < end; ++i) near[i] = from[i * stride];
      from = near;
    }
    const __mmask64 own = bits_of(met, end);
    const __m512i bytes = _mm512_xor_si512(_mm512_maskz_loadu_epi8(own, from),
                                           _mm512_maskz_set1_epi8(own, static_cast<char>(flip)));
    sum = add_products(sum, broadcast_word(0x01010101), reinterpret_cast<Vu>(bytes));
    _mm512_mask_storeu_epi32(out, static_cast<__mmask16>(bits_of(0, blocks.height)), bytes);
  }
  return _mm512_reduce_add_epi32(reinterpret_cast<__m512i>(sum));
}

void amx_pack_left(const ByteMatrix& a, Index m, Index k, Range rows, Word* packed,
                   Word* sums) noexcept {
  if (!by_tiles(m, steps_of(k))) return int8_pack_left(a, m, k, rows, packed, sums);
  const PackedTiles tiles(m, steps_of(k));
  for (Index i = rows.begin; i < rows.end; ++i) {
    const auto* row = static_cast<const std::uint8_t*>(a.data) + i * a.row_stride;
    sums[i] = pack_tile_row(row, a.column_stride, k, left_flip(a.kind), tiles,
                            packed + tiles.at(i, 0, 0));
  }
}

/// What `columns` of C read of B, while `blocks` are multiplied.
inline WordsAhead words_ahead(const Int8Product& p, Range columns, Index blocks) {
  const Index steps = steps_of(p.k), size = round_up(columns.end - columns.begin, kPanel) * steps;
  return {p.right + columns.begin * steps, ceil_div(size / kTileSize, blocks)};
}

void amx_multiply(const Int8Product& p, Range rows, Range columns, Word* scratch) noexcept {
  if (!by_tiles(p.m, steps_of(p.k))) return int8_multiply(p, rows, columns, scratch);
  if (rows.begin == rows.end) return;
  const Index steps = steps_of(p.k), chunk = chunk_of(steps), none = 0;
  const Index size = output_width(p.finish.output);
  const PackedTiles tiles(p.m, steps);
  const Index step = 2 * tiles.width;
  const Index panels = ceil_div(rows.end - rows.begin, step) * (chunk / kPanel);
  const TileRegisters registers(tiles.width, tiles.blocks.height);
  alignas(64) Word sums[kPairRows * kChunk + kSumsSlack];
  for (Index j = columns.begin; j < columns.end; j += chunk) {
    const Range some{j, min_of(j + chunk, columns.end)};
    const Range next{some.end, min_of(some.end + chunk, columns.end)};
    WordsAhead ahead = words_ahead(p, next, panels * tiles.blocks.count);
    for (Index i = rows.begin; i < rows.end; i += step) {
      const Index height = min_of(step, rows.end - i);
      const AmxOperands o{
          tiles, p.left + tiles.at(i, 0, 0), p.right + j * steps, kPanel * steps, &none, kPanel};
      compute_tiles(o, height > tiles.width, some.end - j, ahead, sums);
      char* y = static_cast<char*>(p.c) + (i * p.c_stride + j) * size;
      finish_part<kLanes>(p.finish, {{i, i + height}, some, kChunk, p.c_stride}, sums, y);
    }
  }
}

/// Whether a convolution goes by tiles, whose blocks are the groups of channels that a tap meets.
[[gnu::noinline]] bool by_tiles(const ConvShape& s) {
  if (by_planes(s)) return false;
  const ImageLayout layout = image_layout(s);
  return !layout.slides && by_tiles(s.out_channels, layout.units, layout.unit_taps);
}

inline PackedTiles weight_tiles(const ConvShape& s, const ImageLayout& layout) {
  return {s.out_channels, layout.units, layout.unit_taps};
}

/// The sums of a convolution's chunks by tiles.
class TileSums {
 public:
  static constexpr Index kMostRows = kPairRows;

  TileSums(const ConvShape& s, const ImageLayout& layout)
      : tiles_(weight_tiles(s, layout)),
        unit_size_(layout.planes() / layout.units * layout.plane_size),
        registers_(tiles_.width, tiles_.blocks.height) {}

  Index step() const { return 2 * tiles_.width; }
  Index words() const { return tiles_.words(); }

  void compute(const ConvChunk& chunk, Range channels, Word* sums) const {
    const Int8Conv& conv = chunk.conv;
    const AmxOperands o{tiles_,
                        conv.weights + tiles_.at(channels.begin, 0, 0),
                        conv.image + chunk.words.begin,
                        kPanel,
                        conv.offsets,
                        unit_size_};
    WordsAhead none;
    compute_tiles(o, channels.end - channels.begin > tiles_.width, chunk.size(), none, sums);
  }

 private:
  PackedTiles tiles_;
  Index unit_size_;
  TileRegisters registers_;
};

Index amx_weights_size(const ConvShape& s) noexcept {
  const ImageLayout layout = image_layout(s);
  return round_up(weight_tiles(s, layout).words() + layout.steps() + kMaxTileRows, 16);
}

[[gnu::cold]] void amx_pack_weights(const ConvShape& s, const void* weights, ByteKind kind,
                                    Word* packed) noexcept {
  const ImageLayout layout = image_layout(s);
  const PackedTiles tiles = weight_tiles(s, layout);
  for_each_step(s, layout, [&](Index step, const WordWeights& w) {
    const auto* from = static_cast<const std::uint8_t*>(weights) + w.first;
    for (Index o = 0; o < s.out_channels; ++o, from += s.in_channels * tiles.places)
      packed[tiles.at(o, step % tiles.places, step / tiles.places)] =
          left_word(from, tiles.places, left_flip(kind), w.count);
  });
  pack_ones(s, layout, packed + tiles.words());
}

Index amx_channel_step(const ConvShape& s) noexcept { return pair_step(s.out_channels); }

constexpr Int8ConvMethod make_tiles_method() {
  Int8ConvMethod out = kByProduct;
  out.weights_size = amx_weights_size;
  out.pack_weights = amx_pack_weights;
  out.channel_step = amx_channel_step;
  out.convolve = int8_convolve<TileSums>;
  return out;
}
constexpr Int8ConvMethod kByTiles = make_tiles_method();

const Int8ConvMethod& amx_conv_method(const ConvShape& s) noexcept {
  return by_tiles(s) ? kByTiles : conv_method<kByProduct>(s);
}

constexpr char kTilesName[] = "amx_int8", kVectorsName[] = "avx512_vnni";

const char* amx_product_name(Index m, Index k) noexcept {
  return by_tiles(m, steps_of(k)) ? kTilesName : kVectorsName;
}
const char* amx_conv_name(const ConvShape& s) noexcept {
  return by_tiles(s) ? kTilesName : kVectorsName;
}

/// The kernels for vectors of the same width, except for what goes by tiles.
constexpr Int8Kernels make_amx_kernels() {
  Int8Kernels out = make_int8_kernels(kTilesName);
  out.product_name = amx_product_name;
  out.conv_name = amx_conv_name;
  out.row_step = amx_row_step;
  out.left_size = amx_left_size;
  out.pack_left = amx_pack_left;
  out.multiply = amx_multiply;
  out.conv_method = amx_conv_method;
  return out;
}

}  // namespace
}  // namespace strata::kernels
