#pragma once

#include "strata/hir/builder.h"
#include "strata/hir/ops/tree_ensemble.h"

/// What the models of ai.onnx.ml share: what becomes of scores, and which class they choose.
namespace strata::hir {

/// `scores`, T[.., E], transformed along the last axis.
OutletId transformed(Builder& b, OutletId scores, PostTransform transform);
/// The two scores that one score for the second class stands for: T[N, 1] -> T[N, 2], -s and s.
OutletId both_signs(Builder& b, OutletId score);
/// The label of the greatest score of each row, the first of several.
OutletId chosen_label(Builder& b, OutletId scores, const Tensor& labels);
/// The type that scores of `x` are computed in: f32 when x is, else f64, which holds all others.
DatumType score_type(const Builder& b, OutletId x);
/// The outputs have the rows of X, where that is a matrix.
void require_rows(Rules& r);
/// `x` as floats of this type; a vector becomes one row.
OutletId rows_of(Builder& b, OutletId x, DatumType type);

}  // namespace strata::hir
