#include "strata/core/ops/transpose.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_transpose(NodeArgs& node) {
  node.expect_inputs(1, 1);
  const Shape perm = node.integers("perm").value_or(Shape{});
  return hir::Direct{Transpose{{perm.begin(), perm.end()}}};
}

}  // namespace

void register_transpose(Registry& r) {
  r.add("Transpose", {1, 13, 21, 23, 24, 25}, parse_transpose);
}

}  // namespace strata::onnx
