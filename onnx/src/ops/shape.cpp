#include "ops/all.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/size_of.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_shape(NodeArgs& node) {
  node.expect_inputs(1, 1);
  if (node.version() < 15) return hir::Direct{ShapeOf{}};
  return hir::Direct{ShapeOf{node.integer("start", 0), node.integer("end")}};
}

hir::InferenceOp parse_size(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Direct{SizeOf{}};
}

}  // namespace

void register_shape(Registry& r) {
  r.add("Shape", {1, 13, 15, 19, 21, 23, 24, 25}, parse_shape);
  r.add("Size", {1, 13, 19, 21, 23, 24, 25}, parse_size);
}

}  // namespace strata::onnx
