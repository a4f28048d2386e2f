#include "strata/hir/ops/pad.h"

#include "ops/all.h"
#include "ops/named.h"
#include "strata/hir/ops/center_crop_pad.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_pad(NodeArgs& node) {
  const PadMode mode = named(node, "mode", PadMode::constant);
  // It came with version 19, but torch.onnx.export writes it for 18, and ONNX Runtime takes it.
  check(mode != PadMode::wrap || node.version() >= 18,
        "the mode wrap came with version 19 of the op, this is ", node.version());
  if (node.version() < 11) {
    node.expect_inputs(1, 1);
    return hir::Pad{mode, node.required_integers(node.version() == 1 ? "paddings" : "pads"),
                    node.number("value", 0)};
  }
  node.expect_inputs(2, node.version() >= 18 ? 4 : 3);
  return hir::Pad{mode, std::nullopt, 0};
}

hir::InferenceOp parse_center_crop_pad(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::CenterCropPad{node.integers("axes")};
}

}  // namespace

void register_pad(Registry& r) {
  r.add("CenterCropPad", {18}, parse_center_crop_pad);
  r.add("Pad", {1, 2, 11, 13, 18, 19, 21, 23, 24, 25}, parse_pad);
}

}  // namespace strata::onnx
