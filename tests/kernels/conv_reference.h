#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "kernel_testing.h"

/// Convolution by its definition, and windows to try it on.
namespace strata::kernels::testing {

inline Index volume(const Index (&v)[3]) { return v[0] * v[1] * v[2]; }

/// The place that a tap of an output reads in a plane, or none where it lies outside.
inline std::optional<Index> input_of(const Window& w, const Index (&out)[3], Index tap) {
  const Index at[3] = {tap / (w.kernel[1] * w.kernel[2]), tap / w.kernel[2] % w.kernel[1],
                       tap % w.kernel[2]};
  Index place = 0;
  for (int i = 0; i < 3; ++i) {
    const Index p = out[i] * w.stride[i] + at[i] * w.dilation[i] - w.pad[i];
    if (p < 0 || p >= w.in[i]) return std::nullopt;
    place = place * w.in[i] + p;
  }
  return place;
}

/// An output, and the place in a plane that a tap of it reads.
struct TapRead {
  std::size_t output;
  Index place;
};

/// Those of one tap, of all outputs of a channel for which it lies in the input.
inline std::vector<TapRead> reads_of(const Window& w, Index tap) {
  std::vector<TapRead> reads;
  for (Index i = 0; i < volume(w.out); ++i) {
    const Index out[3] = {i / (w.out[1] * w.out[2]), i / w.out[2] % w.out[1], i % w.out[2]};
    if (const auto place = input_of(w, out, tap)) reads.push_back({size(i), *place});
  }
  return reads;
}

/// The sums of all outputs by definition: over the taps that lie in the input, and their channels.
/// Tap by tap, as an emulator takes minutes where each product looks for its operands.
inline std::vector<double> sums_of(const Conv& conv, const float* weights) {
  const ConvShape& s = conv.shape;
  const Index taps = volume(s.window.kernel), ins = volume(s.window.in);
  const Index outs = volume(s.window.out), channels = s.groups * s.out_channels;
  std::vector<double> sums(size(s.batch * channels * outs));
  for (Index tap = 0; tap < taps; ++tap) {
    const std::vector<TapRead> reads = reads_of(s.window, tap);
    for (Index row = 0; row < s.batch * channels; ++row) {
      double* const sum = sums.data() + row * outs;
      const Index channel = row % channels, group = row / s.out_channels;
      for (Index c = 0; c < s.in_channels; ++c) {
        const float* x = conv.x + (group * s.in_channels + c) * ins;
        const auto weight =
            static_cast<double>(weights[(channel * s.in_channels + c) * taps + tap]);
        for (const TapRead& read : reads)
          sum[read.output] += static_cast<double>(x[read.place]) * weight;
      }
    }
  }
  return sums;
}

/// What becomes of the sums: bias and residual are added, and the activation is applied.
inline std::vector<double> finished(const Conv& conv, std::vector<double> sums) {
  const Index plane = volume(conv.shape.window.out);
  const Index channels = conv.shape.groups * conv.shape.out_channels;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Index channel = static_cast<Index>(i) / plane % channels;
    if (conv.bias) sums[i] += static_cast<double>(conv.bias[channel]);
    if (conv.residual) sums[i] += static_cast<double>(conv.residual[i]);
    sums[i] = apply(conv.activation, sums[i]);
  }
  return sums;
}

inline std::vector<double> expected_of(const Conv& conv, const float* weights) {
  return finished(conv, sums_of(conv, weights));
}

struct Axis {
  Index in, kernel, stride, dilation, pad, pad_end;
};

/// A window whose last axes are `axes`.
inline Window window_of(std::initializer_list<Axis> axes) {
  Window w;
  int i = 3 - static_cast<int>(axes.size());
  for (const Axis& a : axes) {
    w.in[i] = a.in;
    w.kernel[i] = a.kernel;
    w.stride[i] = a.stride;
    w.dilation[i] = a.dilation;
    w.pad[i] = a.pad;
    w.out[i] = (a.in + a.pad + a.pad_end - (a.kernel - 1) * a.dilation - 1) / a.stride + 1;
    ++i;
  }
  return w;
}

/// The same window on both of two axes, one of them two longer.
inline Window square(const Axis& a) {
  Axis wide = a;
  wide.in += 2;
  return window_of({a, wide});
}

inline Index blocks_of(Index channels) { return (channels + kChannelBlock - 1) / kChannelBlock; }

/// [images, channels, plane] in blocks; what fills the last block up is `filling`.
inline std::vector<float> blocked(const std::vector<float>& x, Index images, Index channels,
                                  Index plane, float filling = 0) {
  const Index blocks = blocks_of(channels);
  std::vector<float> out(size(images * blocks * plane * kChannelBlock), filling);
  for (Index n = 0; n < images; ++n)
    for (Index c = 0; c < channels; ++c)
      for (Index p = 0; p < plane; ++p)
        out[size(((n * blocks + c / kChannelBlock) * plane + p) * kChannelBlock +
                 c % kChannelBlock)] = x[size((n * channels + c) * plane + p)];
  return out;
}

/// The other way round.
inline std::vector<float> planes(const std::vector<float>& x, Index images, Index channels,
                                 Index plane) {
  const Index blocks = blocks_of(channels);
  std::vector<float> out;
  for (Index n = 0; n < images; ++n)
    for (Index c = 0; c < channels; ++c)
      for (Index p = 0; p < plane; ++p)
        out.push_back(x[size(((n * blocks + c / kChannelBlock) * plane + p) * kChannelBlock +
                             c % kChannelBlock)]);
  return out;
}

}  // namespace strata::kernels::testing
