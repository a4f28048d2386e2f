#include "strata/core/ops/det.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_det(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Direct{Det{}};
}

}  // namespace

void register_det(Registry& r) { r.add("Det", {11, 22}, parse_det); }

}  // namespace strata::onnx
