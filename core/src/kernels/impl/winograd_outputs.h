#pragma once

#include "kernels/impl/blocked_planes.h"
#include "kernels/impl/winograd_inputs.h"

/// The outputs of some tiles, from the sums of Winograd's products.
namespace strata::kernels {
namespace {

/// A^T m A of some lanes of one tile.
template <int N, int R>
inline void transform_sums(const float* sums, Index place_step, Vf (&out)[N + 1 - R][N + 1 - R]) {
  constexpr int M = N + 1 - R;
  Vf rows[M][N];
#pragma GCC unroll 6
  for (int j = 0; j < N; ++j) {
    Vf m[N], t[M];
#pragma GCC unroll 6
    for (int i = 0; i < N; ++i) m[i] = load(sums + (i * N + j) * place_step);
    Winograd<N, R>::output(m, t);
#pragma GCC unroll 6
    for (int i = 0; i < M; ++i) rows[i][j] = t[i];
  }
#pragma GCC unroll 6
  for (int i = 0; i < M; ++i) Winograd<N, R>::output(rows[i], out[i]);
}

/// Where the outputs of one tile go, of a block of channels and one phase.
struct TileOutputs {
  const float* sums;
  Index place_step;
  const float* bias;      ///< or null
  const float* residual;  ///< as `y`, or null
  float* y;
  Index first;  ///< where the first output would be in y, which may be none that is stored
  Index row_step;
  Index column_step;
  Range rows;  ///< those that are stored
  Range columns;
  ClipRange range;
};

template <int N, int R>
void output_tile(const TileOutputs& o) noexcept {
  constexpr int M = N + 1 - R;
  const bool whole = o.rows.end - o.rows.begin == M && o.columns.end - o.columns.begin == M;
  for (Index lane = 0; lane < kChannelBlock; lane += kLanes) {
    Vf out[M][M];
    transform_sums<N, R>(o.sums + lane, o.place_step, out);
    const Vf add = o.bias ? load(o.bias + lane) : Vf{};
    float* y = o.y + o.first + lane;
    if (whole && !o.residual) {
      for_each_sum(out, [&](Vf sum, Index i, Index j) {
        store(y + i * o.row_step + j * o.column_step, clip(sum + add, o.range.low, o.range.high));
        return sum;
      });
      continue;
    }
    for (Index i = o.rows.begin; i < o.rows.end; ++i)
      for (Index j = o.columns.begin; j < o.columns.end; ++j) {
        const Index pixel = i * o.row_step + j * o.column_step;
        Vf value = out[i][j] + add;
        if (o.residual) value += load(o.residual + o.first + lane + pixel);
        store(y + pixel, clip(value, o.range.low, o.range.high));
      }
  }
}

using OutputTile = void (*)(const TileOutputs&) noexcept;

inline OutputTile output_tile_of(Index size, Index taps) {
  if (size == 4) return taps == 2 ? output_tile<4, 2> : output_tile<4, 3>;
  return taps == 2 ? output_tile<6, 2> : output_tile<6, 3>;
}

/// The image that is made. Without phases each place is one output.
inline Spread image_of(const BlockedShape& shape) {
  if (shape.spread.channels > 0) return shape.spread;
  const ConvShape& s = shape.conv;
  return {s.out_channels, {1, 1}, {0, 0}, {s.window.out[1], s.window.out[2]}};
}

/// Of `count` outputs along an axis, `step` apart and the first at `first`, those in the image.
inline Range inside(Index first, Index step, Index count, Index size) {
  if (first >= 0 && first + count * step <= size) return {0, count};
  return {first < 0 ? ceil_div(-first, step) : 0, min_of(count, ceil_div(size - first, step))};
}

/// A row of phases of some tiles, of one block of channels.
struct OutputRow {
  const WinogradTiles& tiles;
  const Spread& image;
  OutputTile tile;
  const UnaryFunction& activation;
  const float* sums;  ///< [phases, tiles, kChannelBlock] of the first place
  Index phase;        ///< which row of phases it is
  Index channel;      ///< the first
  Index channels;     ///< of the block
  float* y;

  /// Columns of outputs that some tiles make.
  Index columns(Index count) const { return count * tiles.plan.step * image.phases[1]; }
};

/// Some tiles of the same row.
struct TileRun {
  Index first;
  Index end;
  Index row;  ///< of the first output
  Index column;
  Range rows;  ///< those in the image, from there on, each as many further on as there are phases
  Range columns;
};

/// Calls visit(run) for runs of no more than `most` tiles.
template <class Visit>
inline void for_each_run(const OutputRow& r, Index most, Visit visit) {
  const Spread& image = r.image;
  const WinogradTiles& t = r.tiles;
  for (Index first = 0; first < t.count;) {
    const Index at = t.column(first), end = min_of(t.row_end(first), first + most);
    const Index row = t.row(first) * t.plan.step * image.phases[0] + r.phase - image.cut[0];
    const Index column = r.columns(at) - image.cut[1];
    visit(TileRun{first, end, row, column, inside(row, image.phases[0], t.plan.step, image.size[0]),
                  inside(column, 1, r.columns(end - first), image.size[1])});
    first = end;
  }
}

/// Stores all phases of a run, the first output at `at`.
[[gnu::noinline]] inline void finish_run(const OutputRow& r, const TileRun& run, TileOutputs o,
                                         Index at) {
  const Spread& image = r.image;
  const Index step = r.tiles.plan.step, plane = r.tiles.count * kChannelBlock;
  o.rows = run.rows;
  o.column_step = image.phases[1] * kChannelBlock;
  for (Index phase = 0; phase < image.phases[1]; ++phase) {
    o.sums = r.sums + phase * plane + run.first * kChannelBlock;
    Index ahead = phase;
    for (Index tile = run.first; tile < run.end; ++tile, ahead += r.columns(1)) {
      o.columns = inside(run.column + ahead, image.phases[1], step, image.size[1]);
      o.first = at + ahead * kChannelBlock;
      r.tile(o);
      o.sums += kChannelBlock;
    }
  }
  for (Index i = run.rows.begin; i < run.rows.end; ++i)
    activate_run(r.activation, o.y + at + i * o.row_step + run.columns.begin * kChannelBlock,
                 (run.columns.end - run.columns.begin) * kChannelBlock);
}

/// Whether an image is too large to be still in a near cache.
inline bool is_far(const Spread& image) {
  constexpr Index kNearFloats = 512 * 1024;
  return image.channels * image.size[0] * image.size[1] > kNearFloats;
}

/// Fetches a line. A function that does nothing else would have no effect and be left out.
inline void fetch_line(const float* line) {
  __builtin_prefetch(line, 0, 2);
  asm volatile("");
}

/// Fetches a part of the memory that outputs go to, so that it is near when they are stored. A row
/// of pixels is kChannelBlock pieces of one float a pixel: the channels of planes, or parts of a
/// block.
[[gnu::noinline]] inline void fetch_outputs(const OutputRow& r, Layout layout, Index part,
                                            Index parts) {
  const Spread& image = r.image;
  const bool is_planes = layout == Layout::planes;
  for_each_run(r, r.tiles.count, [&](const TileRun& run) {
    const Index first = run.column + run.columns.begin, size = run.columns.end - run.columns.begin;
    const Index pieces = (run.rows.end - run.rows.begin) * kChannelBlock;
    const Range some = part_of_whole(pieces > 0 ? pieces : 0, part, parts);
    for (Index i = some.begin; i < some.end; ++i) {
      const Index row = run.row + (run.rows.begin + i / kChannelBlock) * image.phases[0];
      const Index piece = i % kChannelBlock, pixel = row * image.size[1] + first;
      if (piece >= r.channels) continue;
      const float* y = is_planes ? r.y + piece * image.size[0] * image.size[1] + pixel
                                 : r.y + pixel * kChannelBlock + piece * size;
      for (Index at = 0; at < size; at += kLineFloats) fetch_line(y + at);
    }
  });
}

inline void finish_blocks(const OutputRow& r, TileOutputs o) {
  const Index width = r.image.size[1];
  o.y = r.y;
  o.row_step = r.image.phases[0] * width * kChannelBlock;
  for_each_run(r, r.tiles.count, [&](const TileRun& run) {
    finish_run(r, run, o, (run.row * width + run.column) * kChannelBlock);
  });
}

/// A run at a time, by way of `staged`, to the planes of the image.
inline void finish_planes(const OutputRow& r, TileOutputs o, float* staged) {
  const Spread& image = r.image;
  const Index together = kStagedPhases / image.phases[1], plane = image.size[0] * image.size[1];
  o.y = staged;
  o.row_step = r.columns(together) * kChannelBlock;
  for_each_run(r, together, [&](const TileRun& run) {
    finish_run(r, run, o, 0);
    for (Index i = run.rows.begin; i < run.rows.end; ++i) {
      const Index row = run.row + i * image.phases[0], column = run.column + run.columns.begin;
      store_planes(staged + i * o.row_step + run.columns.begin * kChannelBlock,
                   run.columns.end - run.columns.begin,
                   {r.y + row * image.size[1] + column, plane, r.channels});
    }
  });
}

}  // namespace
}  // namespace strata::kernels
