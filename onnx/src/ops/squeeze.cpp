#include "strata/core/ops/squeeze.h"

#include "ops/all.h"
#include "ops/named.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/hir/ops/with_operands.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_squeeze(NodeArgs& node) {
  if (node.version() < 13) {
    node.expect_inputs(1, 1);
    if (const auto axes = node.integers("axes"))
      return hir::WithOperands{Squeeze{}, {integers_tensor(*axes)}};
  } else {
    node.expect_inputs(1, 2);
  }
  return hir::Direct{Squeeze{}};
}

hir::InferenceOp parse_unsqueeze(NodeArgs& node) {
  if (node.version() >= 13) {
    node.expect_inputs(2, 2);
    return hir::Direct{Unsqueeze{}};
  }
  node.expect_inputs(1, 1);
  return hir::WithOperands{Unsqueeze{}, {integers_tensor(node.required_integers("axes"))}};
}

}  // namespace

void register_squeeze(Registry& r) {
  r.add("Squeeze", {1, 11, 13, 21, 23, 24, 25}, parse_squeeze);
  r.add("Unsqueeze", {1, 11, 13, 21, 23, 24, 25}, parse_unsqueeze);
}

}  // namespace strata::onnx
