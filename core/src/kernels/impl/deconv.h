#pragma once

#include "kernels/impl/deconv_rows.h"
#include "kernels/impl/gemm.h"

/// The transpose of a convolution, by strips of outputs: what the weights of each output channel and
/// tap make of the inputs is a matrix product, and each row of outputs sums up the rows of it that
/// reach there. Windows are those of the convolution: its inputs are our outputs.
namespace strata::kernels {
namespace {

constexpr Index kDeconvRows = 64;            ///< of the product made at once, about
constexpr Index kDeconvFloats = 128 * 1024;  ///< of a strip and its product, about

/// How the work of one image and group is cut: into strips along one axis, and blocks of channels.
struct DeconvSplit {
  int axis;
  Index inputs;  ///< of a strip along the axis, about
  Index step;    ///< outputs of a strip along the axis
  Index strips;
  Index block;  ///< channels
  Index blocks;
};

/// Elements of one place along the axis.
inline Index slab_of(const Index (&extent)[3], int axis) {
  Index size = 1;
  for (int i = axis + 1; i < 3; ++i) size *= extent[i];
  return size;
}

/// The first axis there is.
inline int first_axis(const Window& w) {
  for (int i = 0; i < 2; ++i) {
    if (w.in[i] != 1 || w.out[i] != 1 || w.kernel[i] != 1) return i;
  }
  return 2;
}

/// Places of an axis of inputs that reach into a strip from outside of it.
inline Index reach_of(const Window& w, int axis) {
  return (w.kernel[axis] - 1) * w.dilation[axis] / w.stride[axis];
}

/// One input channel: its products are not worth making ahead.
inline bool scales_inputs(const ConvShape& s) { return s.out_channels == 1; }

/// Pixels of a strip that fit into the caches with what is made of them.
inline Index fitting_pixels(const ConvShape& s, const DeconvSplit& split) {
  return kDeconvFloats / (split.block * volume(s.window.kernel) + s.out_channels);
}

inline DeconvSplit split_deconv(const ConvShape& s) {
  const Window& w = s.window;
  DeconvSplit split{};
  const Index taps = volume(w.kernel);
  const Index most = kDeconvRows > taps ? kDeconvRows / taps : 1;
  split.blocks = ceil_div(s.in_channels, most);
  split.block = ceil_div(s.in_channels, split.blocks);
  split.axis = first_axis(w);
  const Index least = 4 * reach_of(w, split.axis) + 1;
  const Index slab = slab_of(w.out, split.axis);
  const Index fitting = slab > 0 ? fitting_pixels(s, split) / slab : 0;
  split.inputs = fitting > least ? fitting : least;
  const Index stride = w.stride[split.axis], outputs = w.in[split.axis];
  split.strips = ceil_div(outputs, split.inputs * stride);
  split.step = round_up(ceil_div(outputs, split.strips), stride);
  split.strips = ceil_div(outputs, split.step);
  return split;
}

/// Strip `index` as a window of its own, and where its inputs and outputs begin in their planes.
struct DeconvStrip {
  Window window;
  Index x;
  Index y;
};

inline DeconvStrip strip_of(const Window& w, const DeconvSplit& split, Index index) {
  const int a = split.axis;
  const Index begin = index * split.step, end = min_of(begin + split.step, w.in[a]);
  const Index span = (w.kernel[a] - 1) * w.dilation[a];
  const Index first = -floor_div(span - begin - w.pad[a], w.stride[a]);
  const Index last = floor_div(end - 1 + w.pad[a], w.stride[a]) + 1;
  const Index from = min_of(first > 0 ? first : 0, w.out[a]), to = min_of(last, w.out[a]);
  DeconvStrip strip{w, from * slab_of(w.out, a), begin * slab_of(w.in, a)};
  strip.window.in[a] = end - begin;
  strip.window.out[a] = to > from ? to - from : 0;
  strip.window.pad[a] = w.pad[a] + begin - from * w.stride[a];
  return strip;
}

/// Columns of a product with n pixels: whole vectors, but for a product with one vector.
inline Index product_columns(Index n) { return n == 1 ? 1 : round_up(n, kLanes); }

struct DeconvScratch {
  Index packed;   ///< floats of a strip of inputs
  Index product;  ///< floats of the product of a block
  Index phases;   ///< floats of a row
};

inline DeconvScratch scratch_of(const ConvShape& s) {
  const Window& w = s.window;
  const DeconvSplit split = split_deconv(s);
  const Index phases = round_up(w.in[2] + w.stride[2], 16);
  if (scales_inputs(s)) return {0, 0, phases};
  const Index slab = slab_of(w.out, split.axis), reach = reach_of(w, split.axis);
  const Index least = (4 * reach + 1) * slab, fitting = fitting_pixels(s, split);
  const Index strip = (least > fitting ? least : fitting) + (reach + 2) * slab;
  const Index pixels = round_up(min_of(strip, w.out[split.axis] * slab), kTileColumns);
  return {packed_b_size(s.out_channels, pixels), split.block * volume(w.kernel) * pixels, phases};
}

std::size_t deconv_scratch(const ConvShape& s) noexcept {
  const DeconvScratch floats = scratch_of(s);
  return static_cast<std::size_t>(floats.packed + floats.product + floats.phases) * sizeof(float);
}

/// Packed weights of one block of channels.
inline Index block_weights(const ConvShape& s, const DeconvSplit& split) {
  return round_up(packed_a_size(split.block * volume(s.window.kernel), s.out_channels), 16);
}

Index deconv_weights_size(const ConvShape& s) noexcept {
  if (scales_inputs(s)) return s.groups * s.in_channels * volume(s.window.kernel);
  const DeconvSplit split = split_deconv(s);
  return s.groups * split.blocks * block_weights(s, split);
}

void pack_deconv_weights(const ConvShape& s, const float* weights, float* packed) noexcept {
  const Index taps = volume(s.window.kernel), rows = s.in_channels * taps;
  if (scales_inputs(s)) return copy_run(weights, 1, packed, s.groups * rows);
  const DeconvSplit split = split_deconv(s);
  for (Index g = 0; g < s.groups; ++g, weights += s.out_channels * rows) {
    for (Index row = 0; row < rows; row += split.block * taps) {
      pack_a({weights + row, 1, rows}, min_of(split.block * taps, rows - row), s.out_channels,
             packed);
      packed += block_weights(s, split);
    }
  }
}

Index deconv_tasks(const ConvShape& s) noexcept {
  if (s.batch * s.groups * s.in_channels * volume(s.window.in) == 0) return 0;
  const DeconvSplit split = split_deconv(s);
  return s.batch * s.groups * split.strips * split.blocks;
}

/// A block of channels of a strip.
struct DeconvTask {
  Index image;
  Index group;
  Index strip;
  Index block;
};

inline DeconvTask task_of(const ConvShape& s, const DeconvSplit& split, Index task) {
  const Index strip = task / split.blocks, outer = strip / split.strips;
  return {outer / s.groups, outer % s.groups, strip % split.strips, task % split.blocks};
}

/// The rows that the taps of a block of channels make of a packed strip.
inline void multiply_block(const Deconv& d, const DeconvSplit& split, const DeconvTask& task,
                           Index channels, Index pixels, const float* packed, float* product) {
  const ConvShape& s = d.shape;
  Gemm g;
  g.m = channels * volume(s.window.kernel);
  g.n = product_columns(pixels);
  g.k = s.out_channels;
  g.packed_a =
      d.packed_weights + (task.group * split.blocks + task.block) * block_weights(s, split);
  g.packed_b = packed;
  g.c = product;
  g.c_stride = g.n;
  gemm(g, {0, g.m}, {0, g.n}, nullptr);
}

/// Makes the outputs of one block of channels in a strip from the rows that its taps make.
inline void sum_block(const Deconv& d, const DeconvStrip& strip, Range channels, TapRows rows,
                      float* scratch) {
  const Index taps = volume(d.shape.window.kernel), plane = volume(d.shape.window.in);
  for (Index c = channels.begin; c < channels.end; ++c) {
    const float bias = d.bias ? d.bias[c % (d.shape.groups * d.shape.in_channels)] : 0;
    sum_channel(strip.window, rows, bias, d.activation, scratch, d.y + c * plane + strip.y);
    rows.data += taps * rows.step;
    rows.factors += taps * rows.factor_step;
  }
}

void deconv(const Deconv& d, Range tasks, void* scratch) noexcept {
  const ConvShape& s = d.shape;
  const DeconvSplit split = split_deconv(s);
  const DeconvScratch floats = scratch_of(s);
  float *packed = static_cast<float*>(scratch), *product = packed + floats.packed;
  const Index taps = volume(s.window.kernel), plane = volume(s.window.out);
  constexpr float one = 1;
  for (Index t = tasks.begin; t < tasks.end; ++t) {
    const DeconvTask task = task_of(s, split, t);
    const DeconvStrip strip = strip_of(s.window, split, task.strip);
    const Index pixels = volume(strip.window.out), outer = task.image * s.groups + task.group;
    const float* x = d.x + outer * s.out_channels * plane + strip.x;
    const Index first = task.block * split.block, last = min_of(first + split.block, s.in_channels);
    TapRows rows{x, 0, d.packed_weights + (task.group * s.in_channels + first) * taps, 1};
    if (!scales_inputs(s)) {
      const bool is_packed = t > tasks.begin && task.block > 0;
      if (!is_packed) pack_b({x, plane, 1}, s.out_channels, pixels, packed);
      if (pixels > 0) multiply_block(d, split, task, last - first, pixels, packed, product);
      rows = {product, product_columns(pixels), &one, 0};
    }
    const Index base = outer * s.in_channels;
    sum_block(d, strip, {base + first, base + last}, rows, product + floats.product);
  }
}

}  // namespace
}  // namespace strata::kernels
