#pragma once

#include <utility>

#include "kernels/impl/gemm_driver.h"
#include "kernels/impl/window.h"

/// Convolution to a few pixels: vectors run over the channels of a panel of packed weights, where
/// vectors of pixels would be mostly empty.
namespace strata::kernels {
namespace {

constexpr Index kFewPixels = 8;  ///< more would fill over half of the longest vectors
constexpr int kPanelVectors = (kMaxTileRows + kLanes - 1) / kLanes;
constexpr int kSums = 8;  ///< vectors of sums at a time, to hide the latency of their adds

/// Whether a step of k takes fewer vectors this way than one per channel.
inline bool has_few_pixels(const ConvShape& s) {
  const Index pixels = volume(s.window.out);
  return !kForSize && s.out_channels > 0 && pixels <= kFewPixels &&
         pixels * kPanelVectors < panel_rows(s.out_channels);
}

/// Floats of the matrix of patches.
inline Index few_pixels_scratch(const ConvShape& s) {
  return s.in_channels * volume(s.window.kernel) * volume(s.window.out);
}

/// to[i * to_step] = from[i * from_step], i < n.
inline void copy_strided(const float* from, Index from_step, float* to, Index to_step, Index n) {
  for (Index i = 0; i < n; ++i) to[i * to_step] = from[i * from_step];
}

/// The taps of one row of the kernel for the output column `column`: `out` is the first tap's row
/// of patches, `from` the row of the input that they read.
inline void fill_taps(const ConvShape& s, const float* from, Index column, float* out) {
  const Window& w = s.window;
  const Index pixels = volume(w.out), plane = volume(w.in), step = w.dilation[2];
  const Index first = column * w.stride[2] - w.pad[2];
  const Range taps = valid_outputs(first, step, w.in[2], w.kernel[2]);
  if (taps.begin >= taps.end) return;
  if (s.in_channels == 1)
    return copy_strided(from + first + taps.begin * step, step, out + taps.begin * pixels, pixels,
                        taps.end - taps.begin);
  for (Index t = taps.begin; t < taps.end; ++t)
    copy_strided(from + first + t * step, plane, out + t * s.in_channels * pixels, pixels,
                 s.in_channels);
}

/// patches[(tap * in_channels + channel) * pixels + pixel]; zero where a tap lies in the padding.
inline void fill_patches(const ConvShape& s, const float* x, float* patches) {
  const Window& w = s.window;
  const Index pixels = volume(w.out);
  const Index tap_row = w.kernel[2] * s.in_channels * pixels;
  for (Index i = 0; i < few_pixels_scratch(s); ++i) patches[i] = 0;
  for (Index pixel = 0; pixel < pixels; ++pixel) {
    const Index column = pixel % w.out[2], row = pixel / w.out[2];
    float* out = patches + pixel;
    for (Index kz = 0; kz < w.kernel[0]; ++kz) {
      const Index z = row / w.out[1] * w.stride[0] + kz * w.dilation[0] - w.pad[0];
      for (Index ky = 0; ky < w.kernel[1]; ++ky, out += tap_row) {
        const Index y = row % w.out[1] * w.stride[1] + ky * w.dilation[1] - w.pad[1];
        if (z < 0 || z >= w.in[0] || y < 0 || y >= w.in[1]) continue;
        fill_taps(s, x + (z * w.in[1] + y) * w.in[2], column, out);
      }
    }
  }
}

/// Sums of `height` channels at P pixels, with bias and residual, as C stores them.
template <int P>
inline void store_panel(const Gemm& g, const Vf (&sums)[kPanelVectors][P], Index row,
                        Index height) {
  alignas(64) float bias[kPanelVectors * kLanes] = {};
  if (g.epilogue.bias_kind == BiasKind::per_row)
    for (Index i = 0; i < height; ++i) bias[i] = g.epilogue.bias[row + i];
  for (int p = 0; p < P; ++p) {
    alignas(64) float column[kPanelVectors * kLanes];
    for (int v = 0; v < kPanelVectors; ++v)
      store(column + v * kLanes, sums[v][p] + load(bias + v * kLanes));
    if (const float* add = g.epilogue.residual)
      for (Index i = 0; i < height; ++i)
        column[i] += add[(row + i) * g.epilogue.residual_stride + p];
    for (Index i = 0; i < height; ++i) g.c[(row + i) * g.c_stride + p] = column[i];
  }
}

/// G panels of channels from `row` on, at P pixels.
template <int P, int G>
inline void few_pixels_panels(const Gemm& g, const float* patches, Index row, Index end) {
  const Index width = panel_rows(g.m);
  const float* weights = g.packed_a + row * g.k;
  Vf sums[G][kPanelVectors][P] = {};
  for (Index k = 0; k < g.k; ++k, weights += width, patches += P) {
#pragma GCC unroll 8
    for (int i = 0; i < G; ++i) {
#pragma GCC unroll 2
      for (int v = 0; v < kPanelVectors; ++v) {
        const Vf w = load(weights + i * width * g.k + v * kLanes);
#pragma GCC unroll 8
        for (int p = 0; p < P; ++p) sums[i][v][p] = fma(broadcast(patches[p]), w, sums[i][v][p]);
      }
    }
  }
  for (int i = 0; i < G; ++i, row += width)
    store_panel<P>(g, sums[i], row, min_of(width, end - row));
}

/// All panels of `rows`, G at a time, then half as many.
template <int P, int G>
inline void few_pixels_rows(const Gemm& g, const float* patches, Range rows) {
  const Index width = panel_rows(g.m);
  for (; ceil_div(rows.end - rows.begin, width) >= G; rows.begin += G * width)
    few_pixels_panels<P, G>(g, patches, rows.begin, rows.end);
  if constexpr (G > 1) few_pixels_rows<P, G / 2>(g, patches, rows);
}

/// The largest power of two of panels whose sums are at most kSums vectors.
template <int P>
constexpr int panels_at_once() {
  int panels = 1;
  while (2 * panels * P * kPanelVectors <= kSums) panels *= 2;
  return panels;
}

/// C of P columns, from patches in which a row of P follows each other.
template <int P>
void few_pixels_product(const Gemm& g, const float* patches, Range rows) noexcept {
  few_pixels_rows<P, panels_at_once<P>()>(g, patches, rows);
}

template <int... P>
constexpr auto few_pixels_products(std::integer_sequence<int, P...>) {
  using Function = void (*)(const Gemm&, const float*, Range) noexcept;
  struct Table {
    Function of[sizeof...(P)];
  };
  return Table{{few_pixels_product<P + 1>...}};
}

/// The rows of a convolution with few pixels, given its product; C has no gaps.
inline void few_pixels(const ConvShape& s, const Gemm& g, Range rows, float* scratch) {
  static constexpr auto kProducts =
      few_pixels_products(std::make_integer_sequence<int, kFewPixels>{});
  const float* patches = scratch;
  if (is_pointwise(s.window))
    patches = g.b.data;
  else
    fill_patches(s, g.b.data, scratch);
  kProducts.of[g.n - 1](g, patches, rows);
  float* c = g.c + rows.begin * g.c_stride;
  if (g.epilogue.activation.op != Unary::identity)
    unary(g.epilogue.activation, c, c, (rows.end - rows.begin) * g.n);
}

}  // namespace
}  // namespace strata::kernels
