#pragma once

#include "kernels/impl/depthwise.h"
#include "kernels/impl/few_pixels.h"
#include "kernels/impl/gemm.h"
#include "kernels/impl/window.h"

/// Convolution as a matrix product of the weights [out_channels, taps * in_channels] and the
/// patches [taps * in_channels, pixels], of which only one panel exists at a time; that of a few
/// pixels exists whole.
namespace strata::kernels {
namespace {

inline bool is_depthwise(const ConvShape& s) { return s.in_channels == 1 && s.out_channels <= 2; }

/// Panels of the patches of one image and group.
struct PatchSource {
  static constexpr Blocking kBlocking = kPackingBlocking;
  const Window* window;
  const float* x;
  Index channels;
  float* scratch;

  Panel panel(const Depth& depth, Range columns) const {
    PixelRun pixels[kTileColumns];
    const int count = pixel_runs(*window, columns, pixels);
    float* out = scratch;
    Index k = depth.begin;
    const Index end = depth.begin + depth.size;
    while (k < end) {
      const Index tap = k / channels;
      const Index first = k % channels;
      const Index last = min_of(channels, first + end - k);
      copy_tap(tap, {first, last}, pixels, count, out);
      out += (last - first) * kTileColumns;
      k += last - first;
    }
    return {scratch, kTileColumns};
  }

  /// One row of the panel for each of the channels, all for one tap.
  void copy_tap(Index tap, Range range, const PixelRun* pixels, int count, float* out) const {
    InputRun runs[kTileColumns];
    const int used = input_runs(*window, tap, pixels, count, runs);
    const Index plane = volume(window->in);
    const Index stride = window->stride[2];
    const float* source = x + range.begin * plane;
    const bool whole = used == 1 && runs[0].size == kTileColumns && stride == 1;
    for (Index c = range.begin; c < range.end; ++c, source += plane, out += kTileColumns) {
      if (whole) {
        for (int v = 0; v < kTileVectors; ++v) {
          store(out + v * kLanes, load(source + runs[0].source + v * kLanes));
        }
        continue;
      }
      for (int v = 0; v < kTileVectors; ++v) store(out + v * kLanes, Vf{});
      for (int r = 0; r < used; ++r) {
        copy_run(source + runs[r].source, stride, out + runs[r].target, runs[r].size);
      }
    }
  }
};

/// How the work of one image and group is cut into tasks: panels of columns, and rows only where
/// there are too few of those to share, since each part of the rows makes all panels anew.
struct ConvSplit {
  Index columns;  ///< panels
  Index row_step;
  Index rows;  ///< parts

  /// The end of the tasks that are side by side, in rows or columns, with this one.
  Index end_beside(Index task) const {
    const Index beside = rows > 1 ? rows : columns;
    return task - task % beside + beside;
  }
};

[[gnu::noinline, gnu::cold]] inline ConvSplit split_conv(const ConvShape& s) {
  constexpr Index kEnoughTasks = 4;
  ConvSplit split{ceil_div(volume(s.window.out), kTileColumns), s.out_channels, 1};
  const Index tasks = s.batch * s.groups * split.columns;
  if (tasks < kEnoughTasks && s.out_channels > 2 * kMaxTileRows) {
    const Index height = panel_rows(s.out_channels);
    split.row_step = round_up(ceil_div(s.out_channels, ceil_div(kEnoughTasks, tasks)), height);
    split.rows = ceil_div(s.out_channels, split.row_step);
  }
  return split;
}

inline bool is_empty(const ConvShape& s) {
  return s.batch * s.groups * s.out_channels * volume(s.window.out) == 0;
}

inline Index depth_of(const ConvShape& s) { return s.in_channels * volume(s.window.kernel); }

ConvWay conv_way(const ConvShape& s) noexcept {
  if (is_depthwise(s)) return ConvWay::depthwise;
  return has_few_pixels(s) ? ConvWay::few_pixels : ConvWay::tiles;
}

Index conv_weights_size(const ConvShape& s) noexcept {
  if (is_depthwise(s)) return s.groups * s.out_channels * volume(s.window.kernel);
  return s.groups * packed_a_size(s.out_channels, depth_of(s));
}

/// Packs the weights of one group with k = tap * in_channels + channel.
inline void pack_group(const ConvShape& s, const float* weights, float* packed) {
  const Index taps = volume(s.window.kernel);
  const Index k = depth_of(s);
  if (taps == 1) return pack_a({weights, k, 1}, s.out_channels, k, packed);
  const Index width = panel_rows(s.out_channels);
  const Index size = packed_a_size(s.out_channels, k);
  for (Index i = 0; i < size; ++i) packed[i] = 0;
  for (Index o = 0; o < s.out_channels; ++o) {
    float* panel = packed + (o - o % width) * k + o % width;
    for (Index c = 0; c < s.in_channels; ++c) {
      for (Index t = 0; t < taps; ++t) panel[(t * s.in_channels + c) * width] = *weights++;
    }
  }
}

[[gnu::cold]] void pack_conv_weights(const ConvShape& s, const float* weights,
                                     float* packed) noexcept {
  const Index group = s.out_channels * depth_of(s);
  if (is_depthwise(s)) {
    for (Index i = 0; i < s.groups * group; ++i) packed[i] = weights[i];
    return;
  }
  if (s.out_channels == 0) return;
  const Index step = packed_a_size(s.out_channels, depth_of(s));
  for (Index g = 0; g < s.groups; ++g) pack_group(s, weights + g * group, packed + g * step);
}

[[gnu::cold]] std::size_t conv_scratch(const ConvShape& s) noexcept {
  if (is_depthwise(s)) return static_cast<std::size_t>(depthwise_scratch(s.window)) * sizeof(float);
  const Index panel = kTileColumns * min_of(depth_of(s), PatchSource::kBlocking.depth);
  const Index patches = has_few_pixels(s) ? few_pixels_scratch(s) : 0;
  return static_cast<std::size_t>(panel > patches ? panel : patches) * sizeof(float);
}

Index conv_tasks(const ConvShape& s) noexcept {
  if (is_empty(s)) return 0;
  if (is_depthwise(s)) return s.batch * s.groups * s.out_channels;
  const ConvSplit split = split_conv(s);
  return s.batch * s.groups * split.columns * split.rows;
}

/// The product of one image and group, as a Gemm.
inline Gemm group_product(const Conv& conv, Index image, Index group) {
  const ConvShape& s = conv.shape;
  const Index k = depth_of(s);
  const Index pixels = volume(s.window.out);
  const Index channel = group * s.out_channels;
  const Index y = (image * s.groups * s.out_channels + channel) * pixels;
  Gemm g;
  g.m = s.out_channels;
  g.n = pixels;
  g.k = k;
  g.packed_a = conv.packed_weights + group * packed_a_size(s.out_channels, k);
  g.b = {conv.x + (image * s.groups + group) * s.in_channels * volume(s.window.in),
         volume(s.window.in), 1};
  g.c = conv.y + y;
  g.c_stride = pixels;
  g.epilogue.bias = conv.bias ? conv.bias + channel : nullptr;
  g.epilogue.bias_kind = conv.bias ? BiasKind::per_row : BiasKind::none;
  g.epilogue.residual = conv.residual ? conv.residual + y : nullptr;
  g.epilogue.residual_stride = pixels;
  g.epilogue.activation = conv.activation;
  return g;
}

/// The tasks [tasks.begin, tasks.end), which are side by side in one image and group.
inline void conv_part(const Conv& conv, const ConvSplit& split, Range tasks, float* scratch) {
  const ConvShape& s = conv.shape;
  const Index row = tasks.begin % split.rows * split.row_step;
  const Index column = tasks.begin / split.rows % split.columns * kTileColumns;
  const Index outer = tasks.begin / (split.rows * split.columns);
  const Gemm g = group_product(conv, outer / s.groups, outer % s.groups);
  const Index count = tasks.end - tasks.begin, down = split.rows > 1 ? count : 1;
  const Range rows{row, min_of(row + down * split.row_step, g.m)};
  const Range columns{column, min_of(column + count / down * kTileColumns, g.n)};
  if constexpr (!kForSize)
    if (has_few_pixels(s)) return few_pixels(s, g, rows, scratch);
  if (is_pointwise(s.window)) return gemm(g, rows, columns, scratch);
  const Product p{g.m, g.k, rows, columns, {}, g.packed_a, g.c, g.c_stride, g.epilogue};
  run_product(p, PatchSource{&s.window, g.b.data, s.in_channels, scratch}, nullptr);
}

void conv(const Conv& call, Range tasks, void* scratch) noexcept {
  if (is_depthwise(call.shape)) return depthwise(call, tasks, static_cast<float*>(scratch));
  const ConvSplit split = split_conv(call.shape);
  for (Index t = tasks.begin; t < tasks.end;) {
    const Index end = min_of(tasks.end, split.end_beside(t));
    conv_part(call, split, {t, end}, static_cast<float*>(scratch));
    t = end;
  }
}

}  // namespace
}  // namespace strata::kernels
