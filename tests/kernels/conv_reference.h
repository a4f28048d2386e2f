#pragma once

#include <initializer_list>
#include <vector>

#include "kernel_testing.h"

/// Convolution by its definition, and windows to try it on.
namespace strata::kernels::testing {

inline Index volume(const Index (&v)[3]) { return v[0] * v[1] * v[2]; }

/// One output by definition: the sum over channels and taps that lie in the input.
inline double convolve(const Conv& conv, const float* weights, Index image, Index channel,
                       const Index (&out)[3]) {
  const ConvShape& s = conv.shape;
  const Window& w = s.window;
  double sum = conv.bias ? static_cast<double>(conv.bias[channel]) : 0;
  const Index group = channel / s.out_channels;
  for (Index c = 0; c < s.in_channels; ++c) {
    const float* x = conv.x + ((image * s.groups + group) * s.in_channels + c) * volume(w.in);
    const float* k = weights + (channel * s.in_channels + c) * volume(w.kernel);
    for (Index tap = 0; tap < volume(w.kernel); ++tap) {
      const Index at[3] = {tap / (w.kernel[1] * w.kernel[2]), tap / w.kernel[2] % w.kernel[1],
                           tap % w.kernel[2]};
      Index offset = 0;
      bool inside = true;
      for (int i = 0; i < 3; ++i) {
        const Index p = out[i] * w.stride[i] + at[i] * w.dilation[i] - w.pad[i];
        inside = inside && p >= 0 && p < w.in[i];
        offset = offset * w.in[i] + p;
      }
      if (inside) sum += static_cast<double>(x[offset]) * static_cast<double>(k[tap]);
    }
  }
  return sum;
}

inline std::vector<double> expected_of(const Conv& conv, const float* weights) {
  const ConvShape& s = conv.shape;
  const Window& w = s.window;
  std::vector<double> y;
  for (Index image = 0; image < s.batch; ++image) {
    for (Index channel = 0; channel < s.groups * s.out_channels; ++channel) {
      for (Index i = 0; i < volume(w.out); ++i) {
        const Index out[3] = {i / (w.out[1] * w.out[2]), i / w.out[2] % w.out[1], i % w.out[2]};
        double sum = convolve(conv, weights, image, channel, out);
        if (conv.residual) sum += static_cast<double>(conv.residual[y.size()]);
        y.push_back(apply(conv.activation, sum));
      }
    }
  }
  return y;
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
