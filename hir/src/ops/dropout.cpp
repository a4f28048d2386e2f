#include "strata/hir/ops/dropout.h"

#include "ops/arithmetic.h"
#include "strata/core/ops/dropout.h"

namespace strata::hir {

void Dropout::rules(Rules& r) const {
  require_same_shape(r);
  require_same_dtype(r);
  if (r.output_count() > 1) r.require(r.output(1, "mask").shape == r.input(0, "data").shape);
}

OutletIds Dropout::wire(Builder& b, const OutletIds& in) const {
  const bool may_train = has(in, 2);
  const OutletId ratio = may_train && has(in, 1) ? in[1] : b.constant(Tensor::scalar(0.5F));
  const OutletId training = may_train ? in[2] : b.constant(Tensor::scalar(false));
  const OutletIds out = b.wire(strata::Dropout{seed}, {in[0], ratio, training});
  const OutletId mask = numeric_mask ? cast_to(b, out[1], b.fact(in[0]).dtype) : out[1];
  return {may_train ? out[0] : in[0], mask};
}

}  // namespace strata::hir
