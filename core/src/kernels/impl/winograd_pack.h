#pragma once

#include "kernels/impl/winograd_plan.h"
#include "kernels/impl/winograd_transform.h"

/// Weights as Winograd's method takes them: of each set of output channels [places, panels, in
/// channels, panel].
namespace strata::kernels {
namespace {

constexpr Index kMostTaps = 9;
constexpr Index kMostPlaces = 36;

/// G g G^T of the kernels of kDoubles channels, places `place_step` apart.
template <int N, int R>
void pack_kernels(const Vd* g, float* out, Index place_step) noexcept {
  Vd columns[R][N], line[R];
  for (int j = 0; j < R; ++j) {
    for (int i = 0; i < R; ++i) line[i] = g[i * R + j];
    Winograd<N, R>::weights(line, columns[j]);
  }
  for (int i = 0; i < N; ++i) {
    Vd row[N];
    for (int j = 0; j < R; ++j) line[j] = columns[j][i];
    Winograd<N, R>::weights(line, row);
    for (int j = 0; j < N; ++j)
      *reinterpret_cast<FloatsOfVd*>(out + (i * N + j) * place_step) =
          __builtin_convertvector(row[j], FloatsOfVd);
  }
}

using PackKernels = void (*)(const Vd*, float*, Index) noexcept;

inline PackKernels kernels_packer(Index size, Index taps) {
  if (size == 4) return taps == 2 ? pack_kernels<4, 2> : pack_kernels<4, 3>;
  return taps == 2 ? pack_kernels<6, 2> : pack_kernels<6, 3>;
}

/// The kernels of one input channel, `lane_step` floats between those of its `lanes` output
/// channels.
struct ChannelKernels {
  const float* weights;
  Index taps;
  Index lane_step;
  Index lanes;
};

/// The places of one input channel of a panel, [places, width].
inline void pack_channel(PackKernels pack, const ChannelKernels& k, Index width, float* out) {
  for (Index first = 0; first < width; first += kDoubles) {
    Vd g[kMostTaps] = {};
    for (Index lane = first; lane < min_of(first + kDoubles, k.lanes); ++lane)
      for (Index tap = 0; tap < k.taps; ++tap)
        g[tap][lane - first] = static_cast<double>(k.weights[lane * k.lane_step + tap]);
    pack(g, out + first, width);
  }
}

inline void pack_winograd(const BlockedShape& shape, const float* weights, float* packed) {
  const ConvShape& s = shape.conv;
  const WinogradPlan p = winograd_plan(shape);
  const PackKernels pack = kernels_packer(p.size, s.window.kernel[2]);
  const Index depth = p.in_blocks * kChannelBlock, taps = volume(s.window.kernel);
  const Index lane_step = s.in_channels * taps;
  for (Index set = 0; set < p.out_channels; set += p.set) {
    const Index channels = min_of(p.set, p.out_channels - set);
    for (Index panel = 0; panel < channels; panel += kTileColumns) {
      const Index width = min_of(kTileColumns, channels - panel), first = set + panel;
      float* to = packed + panel * depth;
      for (Index c = 0; c < depth; ++c, to += width) {
        alignas(64) float places_of[kMostPlaces * kTileColumns];
        const Index lanes = c < s.in_channels ? min_of(width, s.out_channels - first) : 0;
        pack_channel(pack, {weights + first * lane_step + c * taps, taps, lane_step, lanes}, width,
                     places_of);
        for (Index place = 0; place < p.places(); ++place)
          copy_run(places_of + place * width, 1, to + place * channels * depth, width);
      }
    }
    packed += p.places() * channels * depth;
  }
}

}  // namespace
}  // namespace strata::kernels
