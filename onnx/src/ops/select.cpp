#include "strata/core/ops/select.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_where(NodeArgs& node) {
  node.expect_inputs(3, 3);
  return hir::Direct{Select{}};
}

}  // namespace

void register_select(Registry& r) { r.add("Where", {9, 16}, parse_where); }

}  // namespace strata::onnx
