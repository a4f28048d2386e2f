#pragma once

#include "kernels/impl/math.h"
#include "kernels/impl/window.h"

/// Local response normalisation, by strips of pixels of which the channels of one sum stay in the
/// nearest cache. Each sum is made anew: one that took squares away again would keep their rounding
/// errors, and infinities, for good.
namespace strata::kernels {
namespace {

constexpr Index kLrnStrip = 512;  ///< pixels: 2 kB of each channel

/// x / d^(3/4).
struct OverThreeQuarters {
  static constexpr int kVectors = 4;  ///< side by side

  Vf operator()(Vf x, Vf d) const {
    const Vf root = sqrt(d);
    return x / (root * sqrt(root));
  }
};

/// x / d^beta for d of at least 2^-10: with d = 2^e m, m in [sqrt 1/2, sqrt 2), and n the integer
/// nearest to -beta e, x 2^n e^((-beta e - n) ln 2 - beta log m). Where d is finite, so is the
/// square of x, and |x| below 2^64: n may end at -252.
struct OverPower {
  static constexpr int kVectors = 1;  ///< one has enough to do side by side, in code of some size

  float high;  ///< the first bits of beta, so that its product with an exponent is exact
  float low;   ///< the others

  explicit OverPower(float beta)
      : high(__builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, beta) & 0xfffff000u)),
        low(beta - high) {}

  Vf operator()(Vf x, Vf d) const {
    constexpr float ln2 = 0.693147181f;
    const SplitLog s = split_log(d);
    const Vf power = s.exponent * -high;
    const Vf n = round(at_least(power, broadcast(-252.0f)));
    const Vf rest = fma(s.exponent, broadcast(-low), power - n);
    const Vf small = exp(fma(rest, broadcast(ln2), joined_log({Vf{}, s.f}) * -(high + low)));
    return d < __builtin_inff() ? scaled(x * small, n) : x / d;
  }
};

/// The channels whose squares one of them is divided by.
inline Range channels_around(const Lrn& c, Index channel) {
  const Index first = channel - c.before;
  return {first > 0 ? first : 0, min_of(channel + c.after + 1, c.channels)};
}

template <int V, class Over>
inline void lrn_vectors(const Lrn& c, Index channel, Index pixel, const Over& over) {
  const Range around = channels_around(c, channel);
  Vf sum[V] = {};
  const float* x = c.x + around.begin * c.pixels + pixel;
  for (Index k = around.begin; k < around.end; ++k, x += c.pixels) {
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      const Vf value = load(x + v * kLanes);
      sum[v] = fma(value, value, sum[v]);
    }
  }
  const Index at = channel * c.pixels + pixel;
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    const Vf d = fma(sum[v], broadcast(c.alpha), broadcast(c.bias));
    store(c.y + at + v * kLanes, over(load(c.x + at + v * kLanes), d));
  }
}

/// The same for n < kLanes pixels.
template <class Over>
inline void lrn_rest(const Lrn& c, Index channel, Index pixel, Index n, const Over& over) {
  const Range around = channels_around(c, channel);
  Vf sum{};
  for (Index k = around.begin; k < around.end; ++k) {
    const Vf value = load_first(c.x + k * c.pixels + pixel, n);
    sum = fma(value, value, sum);
  }
  const Index at = channel * c.pixels + pixel;
  const Vf d = fma(sum, broadcast(c.alpha), broadcast(c.bias));
  store_first(c.y + at, over(load_first(c.x + at, n), d), n);
}

template <class Over>
inline void lrn_strip(const Lrn& c, Range pixels, const Over& over) {
  for (Index channel = 0; channel < c.channels; ++channel) {
    Index i = pixels.begin;
    constexpr int kStep = Over::kVectors * kLanes;
    if constexpr (kStep > kLanes)
      for (; i + kStep <= pixels.end; i += kStep) lrn_vectors<Over::kVectors>(c, channel, i, over);
    for (; i + kLanes <= pixels.end; i += kLanes) lrn_vectors<1>(c, channel, i, over);
    if (i < pixels.end) lrn_rest(c, channel, i, pixels.end - i, over);
  }
}

template <class Over>
inline void lrn_strips(const Lrn& c, Range pixels, const Over& over) {
  for (Index i = pixels.begin; i < pixels.end; i += kLrnStrip) {
    lrn_strip(c, {i, min_of(i + kLrnStrip, pixels.end)}, over);
  }
}

void lrn(const Lrn& call, Range pixels) noexcept {
  if (call.beta == 0.75f) return lrn_strips(call, pixels, OverThreeQuarters{});
  lrn_strips(call, pixels, OverPower(call.beta));
}

}  // namespace
}  // namespace strata::kernels
