#pragma once

#include "kernels/impl/int8_finish.h"
#include "kernels/impl/int8_tile.h"

/// Products of matrices of bytes. A packed A is panels of rows, [steps][rows of a panel] words; a
/// packed B is panels of columns, [steps][kPanel].
namespace strata::kernels {
namespace {

inline Index steps_of(Index k) { return ceil_div(k, kGroup); }

Index int8_row_step(Index m) noexcept { return m == 0 ? 1 : panel_rows(m); }
Index int8_left_size(Index m, Index k) noexcept {
  return m == 0 ? 0 : round_up(m, panel_rows(m)) * steps_of(k);
}
Index int8_right_size(Index k, Index n) noexcept { return round_up(n, kPanel) * steps_of(k); }

/// One row of A as words `step` apart; returns the sum of its bytes as they are stored.
inline Word pack_row(const std::uint8_t* a, Index stride, Index k, std::uint8_t flip, Index step,
                     Word* out) {
  Word sum = 0;
  for (Index i = 0; i < k; ++i) sum += static_cast<std::int8_t>(a[i * stride] ^ flip);
  const Index whole = k - k % kGroup;
  for (Index i = 0; i < whole; i += kGroup, out += step) {
    std::uint32_t word = 0;
#pragma GCC unroll 4
    for (int e = 0; e < kGroup; ++e)
      word |= left_part(static_cast<std::int8_t>(a[(i + e) * stride] ^ flip), e);
    *out = static_cast<Word>(word);
  }
  if (whole == k) return sum;
  std::uint32_t word = 0;
  for (Index i = whole; i < k; ++i)
    word |= left_part(static_cast<std::int8_t>(a[i * stride] ^ flip), static_cast<int>(i - whole));
  *out = static_cast<Word>(word);
  return sum;
}

void int8_pack_left(const ByteMatrix& a, Index m, Index k, Range rows, Word* packed,
                    Word* sums) noexcept {
  const Index width = int8_row_step(m), steps = steps_of(k);
  const auto* data = static_cast<const std::uint8_t*>(a.data);
  const std::uint8_t flip = left_flip(a.kind);
  for (Index i = rows.begin; i < rows.end; ++i) {
    Word* out = packed + (i - i % width) * steps + i % width;
    const std::uint8_t* row = data + i * a.row_stride;
    sums[i] = a.column_stride == 1 ? pack_row(row, 1, k, flip, width, out)
                                   : pack_row(row, a.column_stride, k, flip, width, out);
  }
}

/// Columns that lie side by side.
inline void pack_step_rows(const ByteMatrix& b, Index k, Index step, Range columns, Word* out) {
  ByteRows rows{{}, right_flip(b.kind)};
  for (int e = 0; e < kGroup; ++e) {
    const Index i = step * kGroup + e;
    if (i < k)
      rows.row[e] = static_cast<const std::uint8_t*>(b.data) + i * b.row_stride + columns.begin;
  }
  interleave<1>(rows, columns.end - columns.begin, out);
}

inline void pack_step_anyhow(const ByteMatrix& b, Index k, Index step, Range columns, Word* out) {
  const auto* data = static_cast<const std::uint8_t*>(b.data);
  const std::uint8_t flip = right_flip(b.kind);
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
      Word* out = packed + j * steps + i * kPanel;
      if (b.column_stride == 1)
        pack_step_rows(b, k, i, panel, out);
      else
        pack_step_anyhow(b, k, i, panel, out);
      for (Index rest = panel.end - j; rest < kPanel; ++rest) out[rest] = 0;
    }
  }
}

void int8_column_sums(const Word* packed, Index k, Index n, Word* sums) noexcept {
  std::uint32_t ones = 0;
  for (int e = 0; e < kGroup; ++e) ones |= left_part(1, e);
  const Vu one = broadcast_word(static_cast<Word>(ones));
  const Index steps = steps_of(k);
  for (Index j = 0; j < n; j += kPanel) {
    Vu total[kPanelVectors] = {};
    for (Index i = 0; i < steps; ++i, packed += kPanel) {
#pragma GCC unroll 4
      for (int v = 0; v < kPanelVectors; ++v)
        total[v] = add_products(total[v], load_words(packed + v * kLanes), one);
    }
    for (int v = 0; v < kPanelVectors; ++v) store_words(sums + j + v * kLanes, total[v]);
  }
}

/// Columns of B that are met by one panel of A after the other while they stay near.
inline Index chunk_of(Index steps) {
  constexpr Index kNearWords = 128 * 1024;
  const Index panels = kNearWords / (kPanel * (steps == 0 ? 1 : steps));
  return kPanel * (panels < 1 ? 1 : min_of(panels, kChunk / kPanel));
}

void int8_multiply(const Int8Product& p, Range rows, Range columns) noexcept {
  alignas(64) Word sums[kMaxTileRows * kChunk];
  const Index steps = steps_of(p.k), width = int8_row_step(p.m), chunk = chunk_of(steps);
  const Index size = output_width(p.finish.output);
  for (Index j = columns.begin; j < columns.end; j += chunk) {
    const Index n = min_of(chunk, columns.end - j);
    for (Index i = rows.begin; i < rows.end; i += width) {
      const Index height = min_of(width, rows.end - i);
      const Int8Operands<EvenSteps> operands{p.left + i * steps, width,    p.right + j * steps,
                                             steps * kPanel,     {kPanel}, steps};
      compute_sums(operands, height, ceil_div(n, kPanel), sums);
      for (Index r = 0; r < height; ++r) {
        char* y = static_cast<char*>(p.c) + ((i + r) * p.c_stride + j) * size;
        finish_row(p.finish, {i + r, j, n}, sums + r * kChunk, y);
      }
    }
  }
}

}  // namespace
}  // namespace strata::kernels
