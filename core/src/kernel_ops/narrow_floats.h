#pragma once

#include <algorithm>

#include "kernel_ops/kernel_op.h"

/// How kernels of f32 serve f16 and bf16: a tile at a time is widened, computed on and narrowed while
/// it is in the first cache. A sum, difference, product, quotient or root of f16 or bf16 rounded to
/// f32 and then again is what rounding it once would give, for f32 has more than twice the bits.
namespace strata {

inline std::optional<kernels::NarrowFloat> narrow_float(DatumType type) {
  if (type == DatumType::f16) return kernels::NarrowFloat::f16;
  if (type == DatumType::bf16) return kernels::NarrowFloat::bf16;
  return std::nullopt;
}

inline constexpr std::int64_t kNarrowTile = 512;  ///< elements

/// y[i] = f(x[i]), i < n; `f(from, to, count)` is one of floats.
template <class F>
void map_narrow(const kernels::KernelTable& table, kernels::NarrowFloat type,
                const std::uint16_t* x, std::uint16_t* y, std::int64_t n, const F& f) {
  alignas(64) float tile[kNarrowTile];
  for (std::int64_t i = 0; i < n; i += kNarrowTile) {
    const std::int64_t count = std::min(kNarrowTile, n - i);
    table.widen_floats(type, x + i, tile, count);
    f(tile, tile, count);
    table.narrow_floats(type, tile, y + i, count);
  }
}

}  // namespace strata
