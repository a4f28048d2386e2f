#include "strata/hir/ops/conv_transpose.h"

#include "ops/arithmetic.h"
#include "strata/hir/ops/conv.h"

namespace strata::hir {

void ConvTranspose::rules(Rules& r) const {
  const auto x = r.input(0, "X"), w = r.input(1, "W"), out = r.output(0, "Y");
  conv_rules(r, x, w, kernel_shape);
  r.require(x.dtype == w.dtype);
  r.require(out.dtype == x.dtype);
  r.require(x.shape[1] == w.shape[0]);
  if (op.group > 0) require_multiple(r, out.shape[1], op.group, w.shape[1]);
  bias_rules(r, x, out.shape[1]);
}

OutletIds ConvTranspose::wire(Builder& b, const OutletIds& in) const {
  return b.wire(op, without_trailing_absent(in));
}

}  // namespace strata::hir
