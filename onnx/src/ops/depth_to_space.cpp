#include "strata/hir/ops/depth_to_space.h"

#include "ops/all.h"
#include "ops/named.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_depth_to_space(NodeArgs& node) {
  node.expect_inputs(1, 1);
  hir::DepthToSpace op{node.required_integer("blocksize"), hir::DepthOrder::block_first};
  if (node.version() >= 11) op.order = named(node, "mode", op.order);
  return op;
}

hir::InferenceOp parse_space_to_depth(NodeArgs& node) {
  node.expect_inputs(1, 1);
  hir::SpaceToDepth op{node.required_integer("blocksize"), hir::DepthOrder::block_first};
  if (node.version() >= 28) op.order = named(node, "mode", op.order);
  return op;
}

}  // namespace

void register_depth_to_space(Registry& r) {
  r.add("DepthToSpace", {1, 11, 13, 28}, parse_depth_to_space);
  r.add("SpaceToDepth", {1, 13, 28}, parse_space_to_depth);
}

}  // namespace strata::onnx
