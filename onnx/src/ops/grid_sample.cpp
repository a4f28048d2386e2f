#include "strata/core/ops/grid_sample.h"

#include "ops/all.h"
#include "ops/named.h"

namespace strata::onnx {
namespace {

GridMode parse_mode(NodeArgs& node) {
  // Version 20 named the modes anew, as they are for any number of axes.
  const bool renamed = node.version() >= 20;
  const std::string mode = node.text("mode", renamed ? "linear" : "bilinear");
  if (mode == "nearest") return GridMode::nearest;
  if (mode == (renamed ? "linear" : "bilinear")) return GridMode::linear;
  check(mode == (renamed ? "cubic" : "bicubic"), in_quotes(mode), " is no mode of GridSample");
  return GridMode::cubic;
}

hir::InferenceOp parse_grid_sample(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::Direct{GridSample{parse_mode(node), named(node, "padding_mode", GridPadding::zeros),
                                node.flag("align_corners", false)}};
}

}  // namespace

void register_grid_sample(Registry& r) { r.add("GridSample", {16, 20, 22}, parse_grid_sample); }

}  // namespace strata::onnx
