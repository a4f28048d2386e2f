#pragma once

#include "kernels/impl/gemm_dots.h"
#include "kernels/impl/gemm_driver.h"
#include "kernels/impl/gemv.h"
#include "kernels/impl/narrow.h"
#include "kernels/impl/rounded.h"

namespace strata::kernels {
namespace {

/// Panels of a B that was packed as a whole; some of its columns are used.
struct PackedSource {
  static constexpr Blocking kBlocking = kPackedBlocking;
  const float* data;
  Index k;
  Range used;
  Panel panel(const Depth& depth, Range columns) const {
    const float* here = data + columns.begin * k + depth.begin * kTileColumns;
    if (columns.end < used.end) return {here, kTileColumns, here + kTileColumns * k};
    const float* deeper = data + used.begin * k + (depth.begin + depth.size) * kTileColumns;
    return {here, kTileColumns, depth.last ? nullptr : deeper};
  }
};

/// Panels of a B in place, packed into scratch, or read where they lie when that costs less; or
/// panels of narrow numbers, widened into scratch. Rows that lie apart are fetched ahead by tiles,
/// as the CPU does not do that by itself.
struct ViewSource {
  static constexpr Blocking kBlocking = kPackingBlocking;
  MatrixView b;
  float* scratch;
  bool reads_in_place = false;  ///< whole panels with unit column stride
  const float* narrow = nullptr;
  NarrowForm form = {};
  Index k = 0;
  Panel panel(const Depth& depth, Range columns) const {
    if (narrow) {
      const float* panel = narrow + columns.begin / kTileColumns * narrow_panel_floats(form, k);
      if (has_narrow_floats(form))
        widen_halves(panel, form.floats, depth, scratch);
      else
        widen_panel({panel, form, k}, depth, scratch);
      return {scratch, kTileColumns};
    }
    const float* data = b.data + depth.begin * b.row_stride + columns.begin * b.column_stride;
    const Index lanes = columns.end - columns.begin;
    const float* next = b.column_stride == 1 ? data + kTileColumns : nullptr;
    if (reads_in_place && lanes % kLanes == 0) return {data, b.row_stride, next, b.row_stride};
    pack_panel({data, b.column_stride, b.row_stride, lanes, depth.size}, kTileColumns, scratch);
    return {scratch, kTileColumns, next, b.row_stride};
  }
};

/// Few rows of C reuse a panel of B too seldom to pay for packing it.
inline bool reads_b_in_place(const Gemm& g, Range rows) {
  return g.b.column_stride == 1 && rows.end - rows.begin <= 3 * panel_rows(g.m);
}

Index gemm_row_step(Index m) noexcept { return m == 0 ? 1 : panel_rows(m); }

Index gemm_column_step() noexcept { return kTileColumns; }

inline bool is_narrow(const Gemm& g) { return g.narrow.bits != 0; }

inline Blocking blocking_of(const Gemm& g) {
  return g.packed_b && !is_narrow(g) ? kPackedBlocking : kPackingBlocking;
}

/// Scratch floats for a panel of B.
inline Index panel_b_size(const Gemm& g) {
  return g.packed_b && !is_narrow(g) ? 0 : kTileColumns * min_of(g.k, blocking_of(g).depth);
}

/// Which loops compute a product.
enum class ProductLoops { rounded, narrow_row, vector, dots, tiles };

inline ProductLoops loops_of(const Gemm& g) {
  if (g.rounded) return ProductLoops::rounded;
  if (is_narrow_row(g)) return ProductLoops::narrow_row;
  if (!is_narrow(g) && is_gemv(g)) return ProductLoops::vector;
  return is_of_dots(g) ? ProductLoops::dots : ProductLoops::tiles;
}

[[gnu::cold]] GemmPlan gemm_plan(const Gemm& g) noexcept {
  switch (loops_of(g)) {
    case ProductLoops::rounded:
      return {GemmWay::tiles, min_of(g.rounded->rows, g.m), kTileColumns, g.k};
    case ProductLoops::narrow_row:
    case ProductLoops::vector:
      return {g.m == 1 ? GemmWay::row : GemmWay::column, 1, kTileColumns, g.k};
    case ProductLoops::dots:
      return {GemmWay::dots, kDotRows, kDotColumns, g.k};
    case ProductLoops::tiles:
      break;
  }
  return {GemmWay::tiles, gemm_row_step(g.m), kTileColumns, depth_step(g.k, blocking_of(g))};
}

/// Scratch floats for products by tiles or dots. Fewer rows may go by tiles where all go by dots,
/// and a wavefront multiplies some rows in the memory of all.
inline Index product_scratch(const Gemm& g) {
  const Index columns = is_of_dots(g) ? g.n * dot_depth(g.k) : 0;
  const Index a = g.packed_a ? 0 : block_a_size(g.m, g.k, blocking_of(g));
  return max_of(columns, a + panel_b_size(g));
}

[[gnu::cold]] std::size_t gemm_scratch(const Gemm& g) noexcept {
  if (g.rounded) return rounded_scratch(g);
  if (is_narrow_row(g)) return narrow_row_scratch(g);
  return static_cast<std::size_t>(product_scratch(g)) * sizeof(float);
}

/// By tiles, with scratch memory for a panel of B and, behind it, for blocks of A.
inline void multiply_by_tiles(const Product& p, const Gemm& g, float* scratch_b) {
  float* scratch_a = scratch_b + panel_b_size(g);
  if (is_narrow(g)) {
    const ViewSource narrow{
        .b = {}, .scratch = scratch_b, .narrow = g.packed_b, .form = g.narrow, .k = g.k};
    return run_product(p, narrow, scratch_a);
  }
  if (g.packed_b) return run_product(p, PackedSource{g.packed_b, g.k, p.columns}, scratch_a);
  run_product(p, ViewSource{g.b, scratch_b, reads_b_in_place(g, p.rows)}, scratch_a);
}

void gemm(const Gemm& g, Range rows, Range columns, void* scratch) noexcept {
  if (rows.begin >= rows.end || columns.begin >= columns.end) return;
  float* floats = static_cast<float*>(scratch);
  const Product p{g.m, g.k, rows, columns, g.a, g.packed_a, g.c, g.c_stride, g.epilogue};
  switch (loops_of(g)) {
    case ProductLoops::rounded:
      return multiply_rounded(g, rows, columns, static_cast<std::byte*>(scratch));
    case ProductLoops::narrow_row:
      return row_times_narrow(g, columns, floats);
    case ProductLoops::vector:
      return gemv(g, rows, columns);
    case ProductLoops::dots:
      return multiply_by_dots(p, g, floats);
    case ProductLoops::tiles:
      return multiply_by_tiles(p, g, floats);
  }
}

}  // namespace
}  // namespace strata::kernels
