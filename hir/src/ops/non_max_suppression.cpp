#include "strata/hir/ops/non_max_suppression.h"

#include <limits>

#include "strata/core/ops/non_max_suppression.h"

namespace strata::hir {

OutletIds NonMaxSuppression::wire(Builder& b, const OutletIds& in) const {
  const auto operand = [&](std::size_t i, double otherwise, DatumType type) {
    return has(in, i) ? in[i] : b.scalar(otherwise, type);
  };
  const double any_score = -std::numeric_limits<double>::infinity();
  return b.wire(strata::NonMaxSuppression{by_centre},
                {in[0], in[1], operand(2, 0, DatumType::i64), operand(3, 0, DatumType::f32),
                 operand(4, any_score, DatumType::f32)});
}

}  // namespace strata::hir
