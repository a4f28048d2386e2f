#include "strata/core/ops/affine_grid.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_affine_grid(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::Direct{
      AffineGrid{node.flag("align_corners", false) ? GridCorners::centres : GridCorners::edges}};
}

}  // namespace

void register_affine_grid(Registry& r) { r.add("AffineGrid", {20}, parse_affine_grid); }

}  // namespace strata::onnx
