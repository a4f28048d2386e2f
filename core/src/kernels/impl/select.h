#pragma once

#include "kernels/impl/convert.h"

namespace strata::kernels {
namespace {

/// The bits at p in every lane, whatever they stand for.
inline Vf broadcast_bits(const float* p) {
  std::int32_t all = 0;
  std::memcpy(&all, p, sizeof all);
  return from_bits(broadcast(all));
}

template <Index A, Index B>
inline void select_row(const SelectCall& c) {
  const Vf a = A == 0 ? broadcast_bits(c.a) : Vf{};
  const Vf b = B == 0 ? broadcast_bits(c.b) : Vf{};
  const auto* condition = reinterpret_cast<const std::uint8_t*>(c.condition);
  for (Index i = 0; i < c.n; i += kLanes) {
    const Index left = c.n - i;
    const Vi holds = to_lanes(load_narrow<Bytes>(condition + i, left)) != 0;
    const Vf x = A == 0 ? a : load_upto(c.a + i, left);
    store_upto(c.y + i, holds ? x : B == 0 ? b : load_upto(c.b + i, left), left);
  }
}

void select(const SelectCall& c) noexcept {
  if (c.n == 0) return;
  if (c.a_step == 1)
    c.b_step == 1 ? select_row<1, 1>(c) : select_row<1, 0>(c);
  else
    c.b_step == 1 ? select_row<0, 1>(c) : select_row<0, 0>(c);
}

}  // namespace
}  // namespace strata::kernels
