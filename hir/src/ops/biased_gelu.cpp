#include "strata/hir/ops/biased_gelu.h"

#include "ops/arithmetic.h"

namespace strata::hir {

void BiasedGelu::rules(Rules& r) const {
  const auto x = r.input(0, "X");
  require_same_shape(r);
  require_same_dtype(r);
  if (!r.has_input(1)) return;
  const auto bias = r.input(1, "bias");
  r.require(bias.dtype == x.dtype);
  r.require(bias.rank == 1);
  r.require(bias.shape[0] == x.shape[-1]);
}

OutletIds BiasedGelu::wire(Builder& b, const OutletIds& in) const {
  const OutletId x = has(in, 1) ? add(b, in[0], in[1]) : in[0];
  return {unary(b, gelu, x)};
}

}  // namespace strata::hir
