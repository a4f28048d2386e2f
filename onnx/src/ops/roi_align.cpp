#include "strata/core/ops/roi_align.h"

#include "ops/all.h"
#include "strata/core/ops/roi_pool.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_roi_align(NodeArgs& node) {
  node.expect_inputs(3, 3);
  RoiAlign op;
  const std::string mode = node.text("mode", "avg");
  check(mode == "avg" || mode == "max", in_quotes(mode), " is neither avg nor max");
  op.mode = mode == "avg" ? RoiMode::average : RoiMode::max;
  op.height = node.integer("output_height", 1);
  op.width = node.integer("output_width", 1);
  op.samples = node.integer("sampling_ratio", 0);
  op.scale = node.number("spatial_scale", 1);
  op.half_pixel = false;
  if (node.version() < 16) return hir::Direct{op};
  const std::string coordinates = node.text("coordinate_transformation_mode", "half_pixel");
  check(coordinates == "half_pixel" || coordinates == "output_half_pixel", in_quotes(coordinates),
        " is neither half_pixel nor output_half_pixel");
  op.half_pixel = coordinates == "half_pixel";
  return hir::Direct{op};
}

hir::InferenceOp parse_max_roi_pool(NodeArgs& node) {
  node.expect_inputs(2, 2);
  const Shape cells = node.required_integers("pooled_shape");
  check(cells.size() == 2, "pooled_shape has ", cells.size(), " entries, not 2");
  return hir::Direct{RoiPool{cells[0], cells[1], node.number("spatial_scale", 1)}};
}

}  // namespace

void register_roi_align(Registry& r) {
  r.add("MaxRoiPool", {1, 22}, parse_max_roi_pool);
  r.add("RoiAlign", {10, 16, 22}, parse_roi_align);
}

}  // namespace strata::onnx
