#include "strata/hir/ops/deform_conv.h"

#include "broadcast_along.h"
#include "strata/core/builder_arithmetic.h"
#include "strata/core/patch.h"
#include "strata/hir/ops/conv.h"

namespace strata::hir {

void DeformConv::rules(Rules& r) const {
  const auto x = r.input(0, "X"), w = r.input(1, "W"), out = r.output(0, "Y");
  conv_rules(r, x, w, kernel_shape);
  r.require(x.dtype == w.dtype);
  r.require(out.dtype == x.dtype);
  r.require(out.shape[1] == w.shape[0]);
}

OutletIds DeformConv::wire(Builder& b, const OutletIds& in) const {
  OutletIds operands{in[0], in[1], in[2]};
  if (has(in, 4)) operands.push_back(in[4]);
  const OutletId out = b.one(op, operands);
  if (!has(in, 3)) return {out};
  return {add(b, out, along_leading_axis(b, in[3], in[1], 2))};
}

}  // namespace strata::hir
