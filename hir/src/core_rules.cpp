#include "core_rules.h"

#include <utility>

#include "strata/core/ops/support.h"

namespace strata::hir {

void same_dtype(Rules& r, const CoreOp&) { require_same_dtype(r); }

void same_rank(Rules& r, const CoreOp&) {
  require_same_dtype(r);
  r.require(out_of(r).rank == data_of(r).rank);
}

void same_type(Rules& r, const CoreOp&) {
  require_same_dtype(r);
  require_same_shape(r);
}

void same_off_axis(Rules& r, const PortProxy& a, const PortProxy& b, std::int64_t axis) {
  r.require(a.rank == b.rank);
  const auto rank = a.rank.known();
  if (!rank) return;
  const auto apart = normalized_axis(axis, static_cast<std::size_t>(*rank));
  for (std::int64_t i = 0; i < *rank; ++i)
    if (std::cmp_not_equal(i, apart)) r.require(a.shape[i] == b.shape[i]);
}

void core_rules(const TypedOp& op, std::span<const Tensor> operands, Rules& r) {
  for (const auto& table : {moving_rules(), picking_rules(), image_rules(), number_rules(),
                            text_rules(), container_rules()})
    for (const CoreRules& row : table)
      if (row.op == op.name()) return row.rules(r, {op, operands});
}

}  // namespace strata::hir
