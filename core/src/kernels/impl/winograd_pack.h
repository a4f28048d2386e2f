#pragma once

#include "kernels/impl/winograd_plan.h"
#include "kernels/impl/winograd_transform.h"

/// Weights as Winograd's method takes them: of each set of output channels [places, panels, in
/// channels, panel].
namespace strata::kernels {
namespace {

/// G g G^T of the kernels of kDoubles channels, places `place_step` apart.
template <int M>
inline void pack_kernels(const Vd (&g)[9], float* out, Index place_step) {
  constexpr int N = M + 2;
  Vd columns[3][N], three[3];
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) three[i] = g[i * 3 + j];
    Winograd<M>::weights(three, columns[j]);
  }
  for (int i = 0; i < N; ++i) {
    Vd row[N];
    for (int j = 0; j < 3; ++j) three[j] = columns[j][i];
    Winograd<M>::weights(three, row);
    for (int j = 0; j < N; ++j)
      *reinterpret_cast<FloatsOfVd*>(out + (i * N + j) * place_step) =
          __builtin_convertvector(row[j], FloatsOfVd);
  }
}

/// The places of one input channel of a panel, [places, width]; `lane_step` floats between the
/// kernels of its `lanes` output channels.
template <int M>
inline void pack_channel(const float* weights, Index lane_step, Index lanes, Index width,
                         float* out) {
  for (Index first = 0; first < width; first += kDoubles) {
    Vd g[9] = {};
    for (Index lane = first; lane < min_of(first + kDoubles, lanes); ++lane)
      for (int tap = 0; tap < 9; ++tap)
        g[tap][lane - first] = static_cast<double>(weights[lane * lane_step + tap]);
    pack_kernels<M>(g, out + first, width);
  }
}

template <int M>
inline void pack_winograd(const ConvShape& s, const float* weights, float* packed) {
  constexpr Index places = (M + 2) * (M + 2);
  const WinogradPlan p = winograd_plan(s, M);
  const Index depth = p.in_blocks * kChannelBlock, lane_step = s.in_channels * 9;
  for (Index set = 0; set < p.out_channels; set += kSetChannels) {
    const Index channels = min_of(kSetChannels, p.out_channels - set);
    for (Index panel = 0; panel < channels; panel += kTileColumns) {
      const Index width = min_of(kTileColumns, channels - panel), first = set + panel;
      float* to = packed + panel * depth;
      for (Index c = 0; c < depth; ++c, to += width) {
        alignas(64) float places_of[places * kTileColumns];
        const Index lanes = c < s.in_channels ? min_of(width, s.out_channels - first) : 0;
        pack_channel<M>(weights + first * lane_step + c * 9, lane_step, lanes, width, places_of);
        for (Index place = 0; place < places; ++place)
          copy_run(places_of + place * width, 1, to + place * channels * depth, width);
      }
    }
    packed += places * channels * depth;
  }
}

}  // namespace
}  // namespace strata::kernels
