#pragma once

#include "kernels/impl/narrow.h"

/// Products whose rows are rounded to bytes before they meet a NarrowForm: what is around
/// RoundedProducts.
namespace strata::kernels {
namespace {

constexpr Index kRoundedRows = 128;  ///< that are rounded at once
constexpr Index kRoundedPanels = 4;  ///< whose sums are finished together
constexpr Index kRoundedSlack = 64;  ///< bytes that may be written behind the last row

/// Where what rounded rows take lies in scratch.
struct RoundedScratch {
  Index rows, byte_step, block_step;
  RoundedScratch(const Gemm& g, Index count)
      : rows(count),
        byte_step(round_up(g.k, kRoundedSlack)),
        block_step(ceil_div(g.k, g.narrow.block)) {}
  Index bytes() const { return rows * byte_step + kRoundedSlack; }
  /// A row as floats, side by side, then the rounded ones.
  Index all_bytes() const {
    return byte_step * Index{sizeof(float)} + bytes() +
           2 * rows * block_step * Index{sizeof(float)};
  }
  RoundedRows at(std::byte* scratch) const {
    RoundedRows out;
    std::byte* const bytes_at = scratch + byte_step * Index{sizeof(float)};
    out.bytes = reinterpret_cast<std::int8_t*>(bytes_at);
    out.byte_step = byte_step;
    out.scales = reinterpret_cast<float*>(bytes_at + bytes());
    out.sums = out.scales + rows * block_step;
    out.block_step = block_step;
    return out;
  }
};

inline std::size_t rounded_scratch(const Gemm& g) {
  return static_cast<std::size_t>(RoundedScratch(g, min_of(g.m, kRoundedRows)).all_bytes());
}

/// Rows `rows`, of no more than kRoundedRows, as bytes.
inline RoundedRows round_rows(const Gemm& g, Range rows, std::byte* scratch) {
  const RoundedRows out = RoundedScratch(g, min_of(g.m, kRoundedRows)).at(scratch);
  float* const spare = reinterpret_cast<float*>(scratch);
  for (Index i = rows.begin; i < rows.end; ++i) {
    const float* x = g.a.data + i * g.a.row_stride;
    if (g.a.column_stride != 1) {
      for (Index j = 0; j < g.k; ++j) spare[j] = x[j * g.a.column_stride];
      x = spare;
    }
    g.rounded->round(x, g.k, g.narrow, rows_from(out, i - rows.begin));
  }
  return out;
}

/// C of rows that are rounded to bytes: some panels stay in the second cache while all rows go by.
inline void multiply_rounded(const Gemm& g, Range rows, Range columns, std::byte* scratch) {
  constexpr Index kAtOnce = kRoundedPanels * kTileColumns;
  const Index panel_floats = narrow_panel_floats(g.narrow, g.k);
  alignas(64) float sums[RoundedProducts::kMostRows * kAtOnce];
  for (Index first = rows.begin; first < rows.end; first += kRoundedRows) {
    const Index end = min_of(first + kRoundedRows, rows.end);
    const RoundedRows a = round_rows(g, {first, end}, scratch);
    for (Index j = columns.begin; j < columns.end; j += kAtOnce) {
      const Index width = min_of(kAtOnce, columns.end - j);
      for (Index i = first; i < end; i += g.rounded->rows) {
        const Index height = min_of(g.rounded->rows, end - i);
        for (Index c = 0; c < width; c += kTileColumns)
          g.rounded->multiply(rows_from(a, i - first), height,
                              g.packed_b + (j + c) / kTileColumns * panel_floats, g.k, g.narrow,
                              sums + c, kAtOnce);
        for (Index r = 0; r < height; ++r) emit(g, i + r, j, sums + r * kAtOnce, width);
      }
    }
  }
}

}  // namespace
}  // namespace strata::kernels
