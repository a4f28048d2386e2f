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

/// One sum by definition: over the taps that lie in the input, and their channels.
inline double convolve(const Conv& conv, const float* weights, Index image, Index channel,
                       const Index (&out)[3]) {
  const ConvShape& s = conv.shape;
  const Window& w = s.window;
  const Index group = channel / s.out_channels, taps = volume(w.kernel), plane = volume(w.in);
  const float* x = conv.x + (image * s.groups + group) * s.in_channels * plane;
  const float* k = weights + channel * s.in_channels * taps;
  double sum = 0;
  for (Index tap = 0; tap < taps; ++tap) {
    const auto place = input_of(w, out, tap);
    if (!place) continue;
    for (Index c = 0; c < s.in_channels; ++c)
      sum += static_cast<double>(x[c * plane + *place]) * static_cast<double>(k[c * taps + tap]);
  }
  return sum;
}

/// The sums of all outputs.
inline std::vector<double> sums_of(const Conv& conv, const float* weights) {
  const ConvShape& s = conv.shape;
  const Window& w = s.window;
  std::vector<double> sums;
  for (Index image = 0; image < s.batch; ++image) {
    for (Index channel = 0; channel < s.groups * s.out_channels; ++channel) {
      for (Index i = 0; i < volume(w.out); ++i) {
        const Index out[3] = {i / (w.out[1] * w.out[2]), i / w.out[2] % w.out[1], i % w.out[2]};
        sums.push_back(convolve(conv, weights, image, channel, out));
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
