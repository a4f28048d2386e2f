#include "strata/hir/ops/gemm.h"

#include <cmath>

#include "ops/arithmetic.h"
#include "strata/core/ops/matmul.h"

namespace strata::hir {

void Gemm::rules(Rules& r) const {
  const auto a = r.input(0, "A"), b = r.input(1, "B"), out = r.output(0, "Y");
  r.require(a.dtype == b.dtype);
  r.require(out.dtype == a.dtype);
  gemm_rules(r, a, b, {transpose_a, transpose_b});
  if (r.has_input(2)) r.require(r.input(2, "C").dtype == a.dtype);
}

OutletIds Gemm::wire(Builder& b, const OutletIds& in) const {
  const DatumType type = b.fact(in[0]).dtype;
  // A factor may bring back what was beyond half floats before it.
  const DatumType wide = alpha == 1 ? type : computing_type(type);
  const auto as_wide = [&](OutletId x) { return cast_to(b, x, wide); };
  const auto scaled = [&](OutletId x, double factor) {
    require(!is_integer(type) || factor == std::trunc(factor), ErrorKind::unsupported,
            "Gemm of integers by a factor of ", factor, " is not supported");
    return factor == 1 ? x : mul(b, x, factor);
  };
  const strata::MatMul product{transpose_a, transpose_b};
  OutletId y = scaled(b.one(product, {as_wide(in[0]), as_wide(in[1])}), alpha);
  // C is not looked at by a factor of 0, as in BLAS.
  if (has(in, 2) && beta != 0) y = add(b, y, scaled(as_wide(in[2]), beta));
  return {cast_to(b, y, type)};
}

}  // namespace strata::hir
