#include "strata/hir/ops/fused_matmul.h"

#include <algorithm>
#include <numeric>

#include "ops/arithmetic.h"
#include "ops/heads.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/transpose.h"

namespace strata::hir {
namespace {

/// [m, batch.., k] as [batch.., m, k].
OutletId with_batches_first(Builder& b, OutletId x, std::string_view what) {
  const std::size_t rank = required_rank(b, x, what);
  if (rank < 3) return x;
  std::vector<std::int64_t> perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::rotate(perm.begin(), perm.begin() + 1, perm.end() - 1);
  return b.one(Transpose{perm}, {x});
}

}  // namespace

void FusedMatMul::rules(Rules& r) const {
  const auto x = r.input(0, "A"), y = r.input(1, "B"), out = r.output(0, "Y");
  r.require(x.dtype == y.dtype);
  r.require(out.dtype == x.dtype);
  if (!a.matrix && !a.batches && !b.matrix && !b.batches) matmul_rules(r, x, y);
}

OutletIds FusedMatMul::wire(Builder& builder, const OutletIds& in) const {
  const OutletId x = a.batches ? with_batches_first(builder, in[0], "A") : in[0];
  const OutletId y = b.batches ? with_batches_first(builder, in[1], "B") : in[1];
  const OutletId product = builder.one(strata::MatMul{a.matrix, b.matrix}, {x, y});
  return {alpha == 1 ? product : mul(builder, product, alpha)};
}

void Activated::rules(Rules& r) const {
  op.rules(r);
  if (!r.has_input(operands)) return;
  r.require(r.input(operands, "Z").dtype == r.output(0, "Y").dtype);
  r.require(r.input(operands, "Z").shape == r.output(0, "Y").shape);
}

OutletIds Activated::wire(Builder& b, const OutletIds& in) const {
  OutletIds own(in.begin(), in.begin() + std::min(in.size(), operands));
  OutletId out = op.wire(b, own)[0];
  if (has(in, operands)) out = add(b, out, in[operands]);
  return {activation ? activation->wire(b, {out})[0] : out};
}

}  // namespace strata::hir
