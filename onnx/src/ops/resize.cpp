#include "strata/hir/ops/resize.h"

#include "ops/all.h"
#include "ops/named.h"

namespace strata::onnx {
namespace {

ResizeMode parse_mode(NodeArgs& node) {
  // Upsample-1 says bilinear where later versions say linear.
  const std::string mode = node.text("mode", "nearest");
  if (mode == "nearest") return ResizeMode::nearest;
  if (mode == "cubic") return ResizeMode::cubic;
  check(mode == "linear" || mode == "bilinear", in_quotes(mode),
        " is none of nearest, linear and cubic");
  return ResizeMode::linear;
}

/// The fixed behaviour of Resize-10 and Upsample.
strata::Resize plain_resize(NodeArgs& node) {
  strata::Resize op;
  op.mode = parse_mode(node);
  op.coordinates = ResizeCoordinates::asymmetric;
  op.nearest = NearestMode::floor_or_ceil;
  return op;
}

/// Inputs x and scales, put where hir::Resize looks for them.
struct ResizeByScales {
  static constexpr std::string_view name = "Resize";
  hir::Resize resize;
  void rules(hir::Rules& r) const { resize.rules(r); }
  OutletIds wire(hir::Builder& b, const OutletIds& in) const {
    return resize.wire(b, {in[0], kAbsent, in[1]});
  }
};

strata::Resize parse_attributes(NodeArgs& node) {
  strata::Resize op;
  op.mode = parse_mode(node);
  op.coordinates = named(node, "coordinate_transformation_mode", ResizeCoordinates::half_pixel);
  check(op.coordinates != ResizeCoordinates::tf_half_pixel_for_nn || node.version() == 11,
        "tf_half_pixel_for_nn is a coordinate_transformation_mode of Resize-11 alone");
  op.nearest = named(node, "nearest_mode", NearestMode::round_prefer_floor);
  op.cubic_a = node.number("cubic_coeff_a", -0.75);
  op.exclude_outside = node.flag("exclude_outside", false);
  op.extrapolation = node.number("extrapolation_value", 0);
  if (node.version() < 18) return op;
  op.antialias = node.flag("antialias", false);
  op.axes = node.integers("axes");
  op.aspect_ratio = named(node, "keep_aspect_ratio_policy", AspectRatio::stretch);
  return op;
}

hir::InferenceOp parse_resize(NodeArgs& node) {
  if (node.version() == 10) {
    node.expect_inputs(2, 2);
    return ResizeByScales{{plain_resize(node), std::nullopt}};
  }
  node.expect_inputs(node.version() == 11 ? 3 : 1, 4, {1, 2});
  return hir::Resize{parse_attributes(node), std::nullopt};
}

hir::InferenceOp parse_upsample(NodeArgs& node) {
  if (node.version() >= 9) {
    node.expect_inputs(2, 2);
    return ResizeByScales{{plain_resize(node), std::nullopt}};
  }
  node.expect_inputs(1, 1);
  hir::Resize resize{plain_resize(node), std::nullopt};
  if (node.version() == 7) {
    resize.scales = node.required_numbers("scales");
  } else {
    const double height = node.required_number("height_scale"),
                 width = node.required_number("width_scale");
    resize.scales = {1, 1, static_cast<float>(height), static_cast<float>(width)};
  }
  return resize;
}

}  // namespace

void register_resize(Registry& r) {
  r.add("Resize", {10, 11, 13, 18, 19}, parse_resize);
  r.add("Upsample", {1, 7, 9, 10}, parse_upsample);
}

}  // namespace strata::onnx
