#include "strata/core/ops/expand.h"

#include "ops/all.h"
#include "strata/core/ops/tile.h"
#include "strata/hir/ops/tile_axis.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_expand(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::Direct{Expand{}};
}

hir::InferenceOp parse_tile(NodeArgs& node) {
  if (node.version() >= 6) {
    node.expect_inputs(2, 2);
    return hir::Direct{Tile{}};
  }
  node.expect_inputs(3, 3);
  return hir::TileAxis{};
}

}  // namespace

void register_expand(Registry& r) {
  r.add("Expand", {8, 13}, parse_expand);
  r.add("Tile", {1, 6, 13}, parse_tile);
}

}  // namespace strata::onnx
