#include "ops/all.h"
#include "strata/core/ops/compress.h"
#include "strata/core/ops/non_zero.h"
#include "strata/core/ops/top_k.h"
#include "strata/core/ops/unique.h"
#include "strata/hir/ops/with_operands.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_compress(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::Direct{Compress{node.integer("axis")}};
}

hir::InferenceOp parse_non_zero(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Direct{NonZero{}};
}

hir::InferenceOp parse_top_k(NodeArgs& node) {
  TopK op{node.integer("axis", -1)};
  if (node.version() == 1) {
    node.expect_inputs(1, 1);
    return hir::WithOperands{op, {Tensor::scalar(node.required_integer("k"))}};
  }
  node.expect_inputs(2, 2);
  if (node.version() >= 11) {
    if (!node.flag("largest", true)) op.order = TopKOrder::least;
    // Unsorted results may come in any order, and so in this one.
    node.ignore("sorted");
  }
  return hir::Direct{op};
}

hir::InferenceOp parse_unique(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Direct{Unique{node.integer("axis"), node.flag("sorted", true)
                                                      ? UniqueOrder::ascending
                                                      : UniqueOrder::first_seen}};
}

}  // namespace

void register_selection(Registry& r) {
  r.add("Compress", {9, 11, 28}, parse_compress);
  r.add("NonZero", {9, 13}, parse_non_zero);
  r.add("TopK", {1, 10, 11, 24}, parse_top_k);
  r.add("Unique", {11, 28}, parse_unique);
}

}  // namespace strata::onnx
