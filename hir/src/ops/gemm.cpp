#include "strata/hir/ops/gemm.h"

#include <cmath>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/matmul.h"

namespace strata::hir {

void Gemm::rules(Rules& r) const {
  const auto a = r.input(0, "A"), b = r.input(1, "B"), out = r.output(0, "Y");
  r.require(a.dtype == b.dtype);
  r.require(out.dtype == a.dtype);
  r.require(a.rank == 2);
  r.require(b.rank == 2);
  r.require(out.rank == 2);
  r.require(a.shape[transpose_a ? 0 : 1] == b.shape[transpose_b ? 1 : 0]);
  r.require(out.shape[0] == a.shape[transpose_a ? 1 : 0]);
  r.require(out.shape[1] == b.shape[transpose_b ? 0 : 1]);
  if (r.has_input(2)) r.require(r.input(2, "C").dtype == a.dtype);
}

OutletIds Gemm::wire(Builder& b, const OutletIds& in) const {
  const auto scaled = [&](OutletId x, double factor) {
    require(!is_integer(b.fact(x).dtype) || factor == std::trunc(factor), ErrorKind::unsupported,
            "Gemm of integers by a factor of ", factor, " is not supported");
    return factor == 1 ? x : b.one(Binary{BinaryOp::mul}, {x, b.scalar(factor, b.fact(x).dtype)});
  };
  const OutletId product =
      scaled(b.one(strata::MatMul{transpose_a, transpose_b}, {in[0], in[1]}), alpha);
  if (!has(in, 2) || beta == 0) return {product};  // C is not looked at then, as in BLAS
  return {b.one(Binary{BinaryOp::add}, {product, scaled(in[2], beta)})};
}

}  // namespace strata::hir
