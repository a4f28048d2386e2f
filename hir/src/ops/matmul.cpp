#include "strata/hir/ops/matmul.h"

#include "ops/arithmetic.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/core/patch.h"

namespace strata::hir {

void MatMul::rules(Rules& r) const {
  const auto a = r.input(0, "A"), b = r.input(1, "B"), out = r.output(0, "Y");
  r.require(a.dtype == b.dtype);
  r.require(out.dtype == a.dtype);
  matmul_rules(r, a, b);
}

OutletId wire_matmul(Builder& b, OutletId left, OutletId right) {
  const auto rank_left = b.rank(left), rank_right = b.rank(right);
  const bool is_row = rank_left == 1u && rank_right, is_column = rank_right == 1u && rank_left;
  if (!is_row && !is_column) return b.one(strata::MatMul{}, {left, right});
  if (is_row) left = b.one(Unsqueeze{}, {left, b.integers({0})});
  if (is_column) right = b.one(Unsqueeze{}, {right, b.integers({1})});
  OutletId out = b.one(strata::MatMul{}, {left, right});
  if (is_column) out = b.one(Squeeze{}, {out, b.integers({-1})});
  if (is_row) out = b.one(Squeeze{}, {out, b.integers({is_column ? -1 : -2})});
  return out;
}

OutletIds MatMul::wire(Builder& b, const OutletIds& in) const {
  return {wire_matmul(b, in[0], in[1])};
}

}  // namespace strata::hir
