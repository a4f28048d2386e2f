#include "strata/hir/ops/non_max_suppression.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_non_max_suppression(NodeArgs& node) {
  node.expect_inputs(2, 5);
  return hir::NonMaxSuppression{node.flag("center_point_box", false)};
}

}  // namespace

void register_non_max_suppression(Registry& r) {
  r.add("NonMaxSuppression", {10, 11}, parse_non_max_suppression);
}

}  // namespace strata::onnx
