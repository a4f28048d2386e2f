#include "strata/hir/ops/non_max_suppression.h"

#include <limits>

#include "strata/core/ops/non_max_suppression.h"

namespace strata::hir {

void NonMaxSuppression::rules(Rules& r) const {
  const auto boxes = r.input(0, "boxes"), scores = r.input(1, "scores");
  for (const auto& each : {boxes, scores}) {
    r.require(each.dtype == DatumType::f32);
    r.require(each.rank == 3);
  }
  r.require(boxes.shape[2] == Dim(4));
  r.require(scores.shape[0] == boxes.shape[0]);
  r.require(scores.shape[2] == boxes.shape[1]);
  r.require(r.output(0, "selected_indices").dtype == DatumType::i64);
  r.require(r.output(0, "selected_indices").rank == 2);
}

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
