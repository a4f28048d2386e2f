#include "strata/core/ops/reshape.h"

#include "ops/all.h"
#include "ops/named.h"
#include "strata/hir/ops/flatten.h"
#include "strata/hir/ops/with_operands.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_reshape(NodeArgs& node) {
  if (node.version() == 1) {
    node.expect_inputs(1, 1);
    node.ignore("consumed_inputs");
    return hir::WithOperands{Reshape{}, {integers_tensor(node.required_integers("shape"))}};
  }
  node.expect_inputs(2, 2);
  const bool keeps_zero = node.version() >= 14 && node.flag("allowzero", false);
  return hir::Direct{Reshape{keeps_zero ? ReshapeZero::keep : ReshapeZero::copy}};
}

hir::InferenceOp parse_flatten(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Flatten{node.integer("axis", 1)};
}

}  // namespace

void register_reshape(Registry& r) {
  r.add("Flatten", {1, 9, 11, 13, 21, 23, 24, 25}, parse_flatten);
  r.add("Reshape", {1, 5, 13, 14, 19, 21, 23, 24, 25}, parse_reshape);
}

}  // namespace strata::onnx
