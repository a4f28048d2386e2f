#include "strata/hir/ops/conv_transpose.h"

#include "ops/all.h"
#include "ops/padding.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_conv_transpose(NodeArgs& node) {
  node.expect_inputs(2, 3);
  hir::ConvTranspose conv;
  conv.op.strides = node.integers("strides").value_or(Shape{});
  conv.op.dilations = node.integers("dilations").value_or(Shape{});
  conv.op.padding = parse_padding(node);
  conv.op.group = node.integer("group", 1);
  conv.op.output_padding = node.integers("output_padding").value_or(Shape{});
  conv.op.output_shape = node.integers("output_shape");
  if (conv.op.output_shape && conv.op.output_shape->empty()) conv.op.output_shape.reset();
  conv.kernel_shape = node.integers("kernel_shape");
  return conv;
}

}  // namespace

void register_conv_transpose(Registry& r) {
  r.add("ConvTranspose", {1, 11, 22}, parse_conv_transpose);
}

}  // namespace strata::onnx
