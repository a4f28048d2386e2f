#pragma once

#include "kernels/impl/gemm_pack.h"
#include "kernels/impl/unary.h"

/// The loops around the register tile, shared by the matrix product and the convolution.
namespace strata::kernels {
namespace {

constexpr Index kPageFloats = 1024;  ///< distance of what shares a place in the nearest cache
/// Rows of an already packed A taken at once: for each so many B is made or read again, which then
/// takes little of the time.
constexpr Index kResidentRows = 2048;

/// How a product is cut so that what is used again stays in the caches.
struct Blocking {
  Index depth;  ///< steps of k at once; C is read and written again for each of them
  Index rows;   ///< of an A that is not packed, at most; B is read again for each of them
};
/// B is packed already, and fetching it from far costs time only at its first tiles.
constexpr Blocking kPackedBlocking{1024, 120};
/// B is packed anew for each block of rows.
constexpr Blocking kPackingBlocking{512, 24 * kMaxTileRows};

/// A product without its B: rows [rows.begin, rows.end) of C, columns [columns.begin, columns.end).
struct Product {
  Index m;
  Index k;
  Range rows;
  Range columns;
  MatrixView a;
  const float* packed_a = nullptr;
  float* c;
  Index c_stride;
  Epilogue epilogue = {};
};

/// A panel of B: rows `step` apart.
struct Panel {
  const float* data;
  Index step;
  const float* next = nullptr;     ///< what is read after it, packed or not
  Index next_step = kTileColumns;  ///< between rows of that
};

/// A range of k, and whether it is the first or the last of all.
struct Depth {
  Index begin;
  Index size;
  bool first;
  bool last;
};

/// Panels of A for some rows and a range of k.
struct BlockA {
  const float* data;
  Index panel_step;  ///< between panels
  Index width;       ///< rows of a panel
  Index row_step;    ///< between rows of a panel
  Index k_step;      ///< between elements of a row
};

inline Index depth_step(Index k, const Blocking& blocking) {
  return k == 0 ? 1 : ceil_div(k, ceil_div(k, blocking.depth));
}

/// How many of these rows are taken at once: whole panels, about as many each time.
inline Index block_rows(Index rows, Index panel, Index most) {
  const Index panels = ceil_div(rows, panel), blocks = ceil_div(panels, most / panel);
  return panel * ceil_div(panels, max_of(1, blocks));
}

inline TileFinish finish_for(const Product& p, const Depth& depth, Index row, Index column) {
  const Epilogue& e = p.epilogue;
  TileFinish t{.c = p.c + row * p.c_stride + column, .c_stride = p.c_stride};
  if (!depth.first) {
    t.add = t.c;
    t.add_stride = p.c_stride;
  } else if (e.residual) {
    t.add = e.residual + row * e.residual_stride + column;
    t.add_stride = e.residual_stride;
  }
  if (!depth.last) return t;
  if (e.bias_kind == BiasKind::per_row) t.row_bias = e.bias + row;
  if (e.bias_kind == BiasKind::per_column) t.column_bias = e.bias + column;
  t.clips = is_clip(e.activation.op);
  const ClipRange range = clip_range(e.activation);
  t.low = range.low;
  t.high = range.high;
  return t;
}

/// Applies activations that are not part of the tile's own finish to a tile just stored.
inline void activate(const UnaryFunction& f, float* c, Index c_stride, Index rows, Index columns) {
  if (f.op == Unary::identity || is_clip(f.op)) return;
  for (Index r = 0; r < rows; ++r) unary(f, c + r * c_stride, c + r * c_stride, columns);
}

/// How many of the tiles of a panel of B share the fetching of the next one: a row of which is
/// fetched with each step where rows lie apart.
inline Index fetching_tiles(const Panel& b, Index tiles) {
  if (b.next_step != kTileColumns) return 1;
  return tiles >= 4 ? 4 : tiles >= 2 ? 2 : 1;
}

/// All tiles of one panel of B with rows [rows.begin, rows.end). The first few fetch the next
/// panel. Products of all sources share it, for size.
[[gnu::noinline]] inline void run_panel(const Product& p, const BlockA& block, const Panel& b,
                                        const Depth& depth, Range rows, Range columns) {
  const Index width = columns.end - columns.begin;
  const Index fetching = fetching_tiles(b, ceil_div(rows.end - rows.begin, block.width));
  const float* a = block.data;
  const float* ahead = b.next ? b.next : b.data;
  Index ahead_step = b.next ? b.next_step / fetching : 0;
  for (Index i = rows.begin; i < rows.end; i += block.width, a += block.panel_step) {
    if (i - rows.begin == fetching * block.width) {
      ahead = b.data;
      ahead_step = 0;
    }
    const Index height = min_of(block.width, rows.end - i);
    const TileFinish finish = finish_for(p, depth, i, columns.begin);
    const TileOperands operands{.a = a,
                                .a_row = block.row_step,
                                .a_step = block.k_step,
                                .b = b.data,
                                .b_step = b.step,
                                .k = depth.size,
                                .ahead = ahead,
                                .ahead_step = ahead_step};
    compute_tile(operands, finish, height, width);
    if (depth.last) activate(p.epilogue.activation, finish.c, p.c_stride, height, width);
    ahead += ahead_step * depth.size;
  }
}

/// Scratch floats for packing blocks of an A of m rows on the fly; never less for more rows.
inline Index block_a_size(Index m, Index k, const Blocking& blocking) {
  if (m == 0) return 0;
  const Index rows = min_of(m, blocking.rows) + kMaxTileRows;
  return round_up(rows * min_of(k, blocking.depth) + kLanes, 16);
}

/// Whether tiles read the rows of A where they lie. Rows a page apart would push each other out of
/// the nearest cache, so they are packed if enough columns of C reuse them.
inline bool reads_a_in_place(const Product& p) {
  constexpr Index kFewColumns = 4 * kTileColumns;
  return p.a.column_stride == 1 &&
         (p.a.row_stride % kPageFloats != 0 || p.columns.end - p.columns.begin <= kFewColumns);
}

inline BlockA block_a(const Product& p, const Depth& depth, Range rows, float* scratch) {
  const Index width = panel_rows(p.m);
  if (p.packed_a) {
    const float* data = p.packed_a + rows.begin * p.k + depth.begin * width;
    return {
        .data = data, .panel_step = width * p.k, .width = width, .row_step = 1, .k_step = width};
  }
  const MatrixView& a = p.a;
  const float* data = a.data + rows.begin * a.row_stride + depth.begin * a.column_stride;
  if (reads_a_in_place(p))
    return {.data = data,
            .panel_step = width * a.row_stride,
            .width = width,
            .row_step = a.row_stride,
            .k_step = 1};
  float* out = scratch;
  for (Index i = rows.begin; i < rows.end; i += width, out += width * depth.size) {
    const Index lanes = min_of(width, rows.end - i);
    pack_panel({data, a.row_stride, a.column_stride, lanes, depth.size}, width, out);
    data += width * a.row_stride;
  }
  return {.data = scratch,
          .panel_step = width * depth.size,
          .width = width,
          .row_step = 1,
          .k_step = width};
}

/// Runs a product. `source.panel(depth, columns)` returns a panel of B, which stays valid until the
/// next call; `Source::kBlocking` tells how far one is reused.
template <class Source>
[[gnu::noinline]] void run_product(const Product& p, const Source& source, float* scratch_a) {
  constexpr Blocking blocking = Source::kBlocking;
  const Index step = depth_step(p.k, blocking);
  const Index rows_step = block_rows(p.rows.end - p.rows.begin, panel_rows(p.m),
                                     p.packed_a ? kResidentRows : blocking.rows);
  for (Index k = 0; k == 0 || k < p.k; k += step) {
    const Depth depth{
        .begin = k, .size = min_of(step, p.k - k), .first = k == 0, .last = k + step >= p.k};
    for (Index i = p.rows.begin; i < p.rows.end; i += rows_step) {
      const Range rows{i, min_of(i + rows_step, p.rows.end)};
      const BlockA block = block_a(p, depth, rows, scratch_a);
      for (Index j = p.columns.begin; j < p.columns.end; j += kTileColumns) {
        const Range columns{j, min_of(j + kTileColumns, p.columns.end)};
        run_panel(p, block, source.panel(depth, columns), depth, rows, columns);
      }
    }
  }
}

}  // namespace
}  // namespace strata::kernels
