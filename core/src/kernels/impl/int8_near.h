#pragma once

#include "kernels/int8.h"

/// Sums that become bytes by numbers of their rows: what they nearly are as floats.
namespace strata::kernels {
namespace {

/// What sums nearly are before they are rounded and moved by the zero point, where `hold`:
/// float(sum) * scale + shift. Unless it saturates, it rounds as the exact number does if it lies no
/// further than `middle` from a whole one. F is a float or a vector.
template <class F>
struct NearNumbers {
  decltype((F{} < F{}) & (F{} < F{})) hold;
  F scale, shift, middle;
};

template <class F>
inline auto is_within(F value, float most) {
  return (value <= most) & (value >= -most);
}

/// They hold where the scale makes no sum more than an int holds and the shift is not too large.
/// `read(values)` gives those of the same rows, or zeros where there are none.
template <class F, class Read>
inline NearNumbers<F> near_numbers(const SumFinish& f, const Read& read) {
  constexpr float kMostShift = 4096, kHalfUlp = 0x1p-24f;
  NearNumbers<F> out{};
  if (f.output == SumOutput::bytes) {
    out.scale = read(f.factor);
    out.shift = read(f.offset);
    out.hold = is_within(out.scale, 0.5f);
  } else {
    const F divisor = read(f.divisor);
    out.scale = read(f.scale) / divisor;
    out.shift = read(f.bias) / divisor;
    out.hold = (divisor > 0x1p-60f) & (divisor < 0x1p60f) & is_within(out.scale, 0.5f);
  }
  out.hold = out.hold & is_within(out.shift, kMostShift);
  // What does not saturate is less than 256, and the product with the scale less than that and the
  // shift. In half ulps of 1, the scale and the exact number's own product are each off by the
  // latter, the shift by itself, and both sums and the quotient by 256.
  const F shift = out.shift < 0 ? -out.shift : out.shift;
  out.middle = 0.5f - (3 * shift + 1300) * kHalfUlp;
  return out;
}

}  // namespace
}  // namespace strata::kernels
