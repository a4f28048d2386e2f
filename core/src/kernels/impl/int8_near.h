#pragma once

#include "kernels/int8.h"

/// Sums that become bytes by numbers of their rows: what they nearly are as floats.
namespace strata::kernels {
namespace {

/// What sums nearly are before they are rounded and moved by the zero point, where `hold`: float(sum)
/// * scale + shift is off by less than 1e-4 where it does not saturate. F is a float or a vector.
template <class F>
struct NearNumbers {
  decltype((F{} < F{}) & (F{} < F{})) hold;
  F scale, shift;
};

template <class F>
inline auto is_within(F value, float most) {
  return (value <= most) & (value >= -most);
}

/// Where no number is large. `read(values)` gives those of the same rows, or zeros where there are
/// none.
template <class F, class Read>
inline NearNumbers<F> near_numbers(const SumFinish& f, const Read& read) {
  if (f.output == SumOutput::bytes) {
    const F scale = read(f.factor), shift = read(f.offset);
    const F low = static_cast<float>(f.low - f.zero) - shift;
    const F high = static_cast<float>(f.high - f.zero) - shift;
    return {is_within(scale, 0.5f) & is_within(shift, 256) & (low >= -384) & (high <= 384), scale,
            shift};
  }
  // This and the quotient of a sum are off by at most 1664 half ulps of 1 together.
  const F divisor = read(f.divisor), scale = read(f.scale) / divisor,
          shift = read(f.bias) / divisor;
  return {
      (divisor > 0x1p-60f) & (divisor < 0x1p60f) & is_within(scale, 0.5f) & is_within(shift, 128),
      scale, shift};
}

}  // namespace
}  // namespace strata::kernels
