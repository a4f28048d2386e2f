#include "strata/hir/ops/conv.h"

#include "ops/all.h"
#include "ops/conv_attributes.h"
#include "ops/padding.h"

namespace strata::onnx {

hir::Conv parse_conv_attributes(NodeArgs& node) {
  hir::Conv conv;
  conv.op.strides = node.integers("strides").value_or(Shape{});
  conv.op.dilations = node.integers("dilations").value_or(Shape{});
  conv.op.padding = parse_padding(node);
  conv.op.group = node.integer("group", 1);
  conv.kernel_shape = node.integers("kernel_shape");
  return conv;
}

namespace {

hir::InferenceOp parse_conv(NodeArgs& node) {
  node.expect_inputs(2, 3);
  return parse_conv_attributes(node);
}

hir::InferenceOp parse_conv_integer(NodeArgs& node) {
  node.expect_inputs(2, 4);
  return hir::ConvInteger{parse_conv_attributes(node)};
}

hir::InferenceOp parse_qlinear_conv(NodeArgs& node) {
  node.expect_inputs(8, 9);
  return hir::QLinearConv{parse_conv_attributes(node)};
}

}  // namespace

void register_conv(Registry& r) {
  r.add("Conv", {1, 11, 22}, parse_conv);
  r.add("ConvInteger", {10}, parse_conv_integer);
  r.add("QLinearConv", {10}, parse_qlinear_conv);
}

}  // namespace strata::onnx
