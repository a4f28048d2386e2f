#pragma once

#include "kernels/impl/int8_finish.h"
#include "kernels/impl/int8_left.h"
#include "kernels/impl/int8_tile.h"

/// Products of matrices of bytes. A packed A is panels of rows, [steps][rows of a panel] words; a
/// packed B is panels of columns, [steps][kPanel] stored words.
namespace strata::kernels {
namespace {

inline Index steps_of(Index k) { return ceil_div(k, kGroup); }

inline Index int8_row_step(Index m) { return m == 0 ? 1 : panel_rows(m); }
Index int8_left_size(Index m, Index k) noexcept {
  return m == 0 ? 0 : round_up(m, panel_rows(m)) * steps_of(k);
}
Index int8_right_size(Index k, Index n) noexcept {
  constexpr int kFraction = sizeof(Word) / sizeof(StoredWord);
  return round_up(n, kPanel) * steps_of(k) / kFraction;
}

/// What turns the bytes of a kind into those that an operand of a product is stored as.
inline std::uint8_t flip_of_left(ByteKind kind) {
  return kSignedRight ? right_flip(kind) : left_flip(kind);
}
inline std::uint8_t flip_of_right(ByteKind kind) {
  return kSignedRight ? left_flip(kind) : right_flip(kind);
}

/// sum + the parts of each of some words of a left or a right operand.
inline Vu add_left(Vu sum, Vu words) {
  const Vu ones = broadcast_word(kGroup == 4 ? 0x0101'0101 : 0x0001'0001);
  return kSignedRight ? add_products(sum, words, ones) : add_products(sum, ones, words);
}
inline Vu add_right(Vu sum, Vu words) {
  const Vu ones = broadcast_word(kGroup == 4 ? 0x0101'0101 : 0x0001'0001);
  return kSignedRight ? add_products(sum, ones, words) : add_products(sum, words, ones);
}

/// The sum of the bytes of a row as they are stored.
inline Word row_sum(const std::uint8_t* a, Index stride, Index k, std::uint8_t flip) {
  Word sum = 0;
  for (Index i = 0; i < k; ++i) {
    const auto byte = static_cast<std::uint8_t>(a[i * stride] ^ flip);
    sum += kSignedRight ? Word{byte} : Word{static_cast<std::int8_t>(byte)};
  }
  return sum;
}

/// The words of some bytes of a row, `step` apart.
inline void pack_row(const std::uint8_t* a, Index stride, Range bytes, std::uint8_t flip,
                     Index step, Word* out) {
  Index i = bytes.begin;
  for (; i + kGroup <= bytes.end; i += kGroup, out += step)
    *out = left_word(a + i * stride, stride, flip, kGroup);
  if (i < bytes.end) *out = left_word(a + i * stride, stride, flip, bytes.end - i);
}

/// Whether words of rows lie as they are packed, rows a number of words apart, and are so many that
/// vectors of them end with the step behind their own.
inline bool turns_words(const ByteMatrix& a, Index width) {
  return kGroup == 4 && a.column_stride == 1 && a.row_stride % kGroup == 0 && 2 * width >= kLanes;
}

/// The sum of the bytes of each of `count` rows of a panel no wider than a vector.
inline void sum_turned(const Word* panel, Index steps, Index width, Word* sums, Index count) {
  constexpr int kApart = 4;  // so that none waits for the one before
  Vu total[kApart] = {};
  Index i = 0;
  for (; i + kApart < steps; i += kApart) {
#pragma GCC unroll 4
    for (int t = 0; t < kApart; ++t)
      total[t] = add_left(total[t], load_words(panel + (i + t) * width));
  }
  alignas(64) Word last[kApart * kLanes] = {};
  __builtin_memcpy(last, panel + i * width,
                   static_cast<std::size_t>((steps - i) * width) * sizeof(Word));
#pragma GCC unroll 4
  for (int t = 0; t < kApart; ++t) total[t] = add_left(total[t], load_words(last + t * width));
  const Vu all = (total[0] + total[1]) + (total[2] + total[3]);
  for (Index row = 0; row < count; ++row) sums[row] = static_cast<Word>(all[row]);
}

/// Packs the first `steps` words of some rows, turned as if they were floats, whose bits do not
/// matter, and sums up each row's bytes.
inline void pack_turned(const ByteMatrix& a, Range rows, Index steps, Index width, Word* out,
                        Word* sums) {
  const auto* data = static_cast<const std::uint8_t*>(a.data) + rows.begin * a.row_stride;
  pack_panel({reinterpret_cast<const float*>(data), a.row_stride / kGroup, 1, rows.end - rows.begin,
              steps},
             width, reinterpret_cast<float*>(out));
  const Vu flips = broadcast_word(static_cast<Word>(flip_of_left(a.kind) * 0x01010101u));
  const Index size = steps * width, whole = size - size % kLanes;
  for (Index i = 0; i < whole; i += kLanes) store_words(out + i, load_words(out + i) ^ flips);
  alignas(64) Word rest[2 * kLanes] = {};
  const auto copied = static_cast<std::size_t>(size - whole) * sizeof(Word);
  __builtin_memcpy(rest, out + whole, copied);
  store_words(rest, load_words(rest) ^ flips);
  __builtin_memcpy(out + whole, rest, copied);
  sum_turned(out, steps, width, sums + rows.begin, rows.end - rows.begin);
}

/// Packs rows in blocks of steps.
inline void pack_blocks(const ByteMatrix& a, Range rows, Index k, Index width, Word* out,
                        Word* sums) {
  const auto* data = static_cast<const std::uint8_t*>(a.data);
  LeftBlock block;
  for (Index i = 0; i < k; i += LeftBlock::kBytes) {
    const Index size = min_of(LeftBlock::kBytes, k - i);
    for (Index row = rows.begin; row < rows.end; ++row)
      sums[row] +=
          block.take(row - rows.begin, data + row * a.row_stride + i, size, flip_of_left(a.kind));
    block.pack(rows.end - rows.begin, steps_of(size), width, out + steps_of(i) * width);
  }
}

void int8_pack_left(const ByteMatrix& a, Index m, Index k, Range rows, Word* packed,
                    Word* sums) noexcept {
  const Index width = int8_row_step(m), steps = steps_of(k);
  const Index turned = turns_words(a, width) ? k / kGroup : 0;
  const Range rest{turned * kGroup, k};
  const std::uint8_t flip = flip_of_left(a.kind);
  for (Index panel = rows.begin; panel < rows.end; panel += width) {
    const Range own{panel, min_of(panel + width, rows.end)};
    Word* out = packed + panel * steps;
    for (Index i = own.begin; i < own.end; ++i) sums[i] = 0;
    if (kGroup == 2 && a.column_stride == 1) {
      pack_blocks(a, own, k, width, out, sums);
      continue;
    }
    if (turned > 0) pack_turned(a, own, turned, width, out, sums);
    if (turned == steps) continue;
    out += turned * width;
    for (Index i = own.begin; i < own.end; ++i, ++out) {
      const auto* row = static_cast<const std::uint8_t*>(a.data) + i * a.row_stride;
      const Index stride = a.column_stride;
      if (stride == 1) {
        sums[i] += row_sum(row + rest.begin, 1, k - rest.begin, flip);
        pack_row(row, 1, rest, flip, width, out);
      } else {
        sums[i] += row_sum(row, stride, k, flip);
        pack_row(row, stride, rest, flip, width, out);
      }
    }
  }
}

/// Columns that lie side by side.
inline void pack_step_rows(const ByteMatrix& b, Index k, Index step, Range columns, Word* out) {
  ByteRows rows{{}, flip_of_right(b.kind)};
  for (int e = 0; e < kGroup; ++e) {
    const Index i = step * kGroup + e;
    if (i < k)
      rows.row[e] = static_cast<const std::uint8_t*>(b.data) + i * b.row_stride + columns.begin;
  }
  interleave<1>(rows, columns.end - columns.begin, out);
}

inline void pack_step_anyhow(const ByteMatrix& b, Index k, Index step, Range columns, Word* out) {
  const auto* data = static_cast<const std::uint8_t*>(b.data);
  const std::uint8_t flip = flip_of_right(b.kind);
  for (Index j = columns.begin; j < columns.end; ++j) {
    std::uint32_t word = 0;
    for (int e = 0; e < kGroup; ++e) {
      const Index i = step * kGroup + e;
      if (i >= k) continue;
      const std::uint8_t byte = data[i * b.row_stride + j * b.column_stride];
      word |= right_part(static_cast<std::uint8_t>(byte ^ flip), e);
    }
    *out++ = static_cast<Word>(word);
  }
}

void int8_pack_right(const ByteMatrix& b, Index k, Index n, Range columns, Word* packed) noexcept {
  const Index steps = steps_of(k);
  for (Index i = 0; i < steps; ++i) {  // rows as they lie, so that each is read once
    for (Index j = columns.begin; j < columns.end; j += kPanel) {
      const Range panel{j, min_of(j + kPanel, n)};
      alignas(64) Word words[kPanel];
      if (b.column_stride == 1)
        pack_step_rows(b, k, i, panel, words);
      else
        pack_step_anyhow(b, k, i, panel, words);
      for (Index rest = panel.end - j; rest < kPanel; ++rest) words[rest] = 0;
      StoredWord* out = reinterpret_cast<StoredWord*>(packed) + j * steps + i * kPanel;
#pragma GCC unroll 4
      for (int v = 0; v < kPanelVectors; ++v)
        store_words(out + v * kLanes, load_words(words + v * kLanes));
    }
  }
}

void int8_column_sums(const Word* packed, Index k, Index n, Word* sums) noexcept {
  const Index steps = steps_of(k);
  const auto* words = reinterpret_cast<const StoredWord*>(packed);
  for (Index j = 0; j < n; j += kPanel) {
    Vu total[kPanelVectors] = {};
    for (Index i = 0; i < steps; ++i, words += kPanel) {
#pragma GCC unroll 4
      for (int v = 0; v < kPanelVectors; ++v)
        total[v] = add_right(total[v], load_words(words + v * kLanes));
    }
    for (int v = 0; v < kPanelVectors; ++v) store_words(sums + j + v * kLanes, total[v]);
  }
}

constexpr Index kNearWords = 128 * 1024;  ///< 512 kB, a part of a second cache

/// Columns of B that one panel of A after the other meets while they stay near.
inline Index chunk_of(Index steps) {
  const Index panels = kNearWords / (kPanel * (steps == 0 ? 1 : steps));
  return kPanel * (panels < 1 ? 1 : min_of(panels, kChunk / kPanel));
}

/// Whether it pays for so many rows of A to make words of the stored words they meet first.
inline bool widens(Index rows) {
  return sizeof(StoredWord) < sizeof(Word) && rows > 8 * kMaxTileRows;
}
Index int8_multiply_scratch(Index m, Index k, Index n) noexcept {
  const Index panel = kPanel * steps_of(k), most = panel > kNearWords ? panel : kNearWords;
  return widens(m) ? min_of(ceil_div(n, kPanel) * panel, most) : 0;
}

/// The steps of a panel.
constexpr Index kEvenOffsets[] = {0,          kPanel,     2 * kPanel, 3 * kPanel,
                                  4 * kPanel, 5 * kPanel, 6 * kPanel, 7 * kPanel};
constexpr StepOffsets kEvenSteps{kEvenOffsets, 8, 8 * kPanel};

/// Computes up to a chunk of columns, the first of which is at `right`; `more` adds to the sums of
/// a panel of rows.
template <class Right, class More>
inline void multiply_chunk(const Int8Product& p, Range rows, Range columns, const Right* right,
                           const More& more) {
  alignas(64) Word sums[kMaxTileRows * kChunk];
  const Index steps = steps_of(p.k), width = int8_row_step(p.m);
  const Index size = output_width(p.finish.output), n = columns.end - columns.begin;
  for (Index i = rows.begin; i < rows.end; i += width) {
    const Index height = min_of(width, rows.end - i);
    const Int8Operands<Right> operands{p.left + i * steps, width, right, steps * kPanel,
                                       kEvenSteps,         steps, kChunk};
    compute_sums(operands, height, ceil_div(n, kPanel), sums);
    more(operands, height, sums);
    char* y = static_cast<char*>(p.c) + (i * p.c_stride + columns.begin) * size;
    finish_part<kLanes>(p.finish, {{i, i + height}, columns, kChunk, p.c_stride}, sums, y);
  }
}

void int8_multiply(const Int8Product& p, Range rows, Range columns, Word* scratch) noexcept {
  const auto nothing = [](const auto&, Index, Word*) {};
  const Index steps = steps_of(p.k), chunk = chunk_of(steps);
  const auto* right = reinterpret_cast<const StoredWord*>(p.right);
  for (Index j = columns.begin; j < columns.end; j += chunk) {
    const Range some{j, min_of(j + chunk, columns.end)};
    const StoredWord* stored = right + j * steps;
    if (!widens(rows.end - rows.begin)) {
      multiply_chunk(p, rows, some, stored, nothing);
      continue;
    }
    const Index words = round_up(some.end - j, kPanel) * steps;
    for (Index i = 0; i < words; i += kLanes) store_words(scratch + i, load_words(stored + i));
    multiply_chunk(p, rows, some, static_cast<const Word*>(scratch), nothing);
  }
}

Index product_row_step(Index m, Index) noexcept { return int8_row_step(m); }

constexpr Int8Products make_int8_products(const char* name) {
  return {
      .name = name,
      .left_kind = kSignedRight ? ByteKind::u8 : ByteKind::i8,
      .right_kind = kSignedRight ? ByteKind::i8 : ByteKind::u8,
      .row_step = product_row_step,
      .column_step = kPanel,
      .left_size = int8_left_size,
      .right_size = int8_right_size,
      .pack_left = int8_pack_left,
      .pack_right = int8_pack_right,
      .column_sums = int8_column_sums,
      .multiply_scratch = int8_multiply_scratch,
      .multiply = int8_multiply,
  };
}

}  // namespace
}  // namespace strata::kernels
