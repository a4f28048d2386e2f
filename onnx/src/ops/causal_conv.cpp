#include "strata/hir/ops/causal_conv.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_causal_conv(NodeArgs& node) {
  node.expect_inputs(2, 4);
  const std::string activation = node.text("activation", "none");
  check(activation == "none" || activation == "silu" || activation == "swish", "activation is ",
        in_quotes(activation), ", none of none, silu, swish");
  using enum hir::CausalConv::Activation;
  return hir::CausalConv{activation == "none" ? none : silu};
}

}  // namespace

void register_causal_conv(Registry& r) { r.add("CausalConvWithState", {27}, parse_causal_conv); }

}  // namespace strata::onnx
