#include "strata/hir/ops/deform_conv.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_deform_conv(NodeArgs& node) {
  node.expect_inputs(3, 5);
  hir::DeformConv conv;
  conv.op.strides = node.integers("strides").value_or(Shape{});
  conv.op.dilations = node.integers("dilations").value_or(Shape{});
  conv.op.padding.amounts = node.integers("pads").value_or(Shape{});
  conv.op.group = node.integer("group", 1);
  conv.op.offset_group = node.integer("offset_group", 1);
  conv.kernel_shape = node.integers("kernel_shape");
  return conv;
}

}  // namespace

void register_deform_conv(Registry& r) { r.add("DeformConv", {19, 22}, parse_deform_conv); }

}  // namespace strata::onnx
