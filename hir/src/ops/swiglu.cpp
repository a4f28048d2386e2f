#include "strata/hir/ops/swiglu.h"

#include "ops/arithmetic.h"
#include "strata/core/ops/activation.h"

namespace strata::hir {

void SwiGlu::rules(Rules& r) const {
  require_same_shape(r);
  require_same_dtype(r);
  r.require(r.input(1, "B").shape == r.input(0, "A").shape);
  r.require(r.input(1, "B").dtype == r.input(0, "A").dtype);
}

OutletIds SwiGlu::wire(Builder& b, const OutletIds& in) const {
  const OutletId gate = alpha == 1 ? unary(b, UnaryOp::silu, in[0])
                                   : b.one(Activation{ActivationKind::swish, alpha}, {in[0]});
  return {mul(b, gate, in[1])};
}

}  // namespace strata::hir
