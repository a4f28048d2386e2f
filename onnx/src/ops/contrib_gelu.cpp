#include "ops/all.h"
#include "ops/contrib.h"
#include "strata/core/ops/activation.h"
#include "strata/hir/ops/biased_gelu.h"
#include "strata/hir/ops/elementwise.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_gelu(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Elementwise{Unary{UnaryOp::gelu}};
}

hir::InferenceOp parse_bias_gelu(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::BiasedGelu{};
}

hir::InferenceOp parse_fast_gelu(NodeArgs& node) {
  node.expect_inputs(1, 2);
  return hir::BiasedGelu{UnaryOp::gelu_tanh};
}

hir::InferenceOp parse_quick_gelu(NodeArgs& node) {
  node.expect_inputs(1, 1);
  const auto alpha = static_cast<float>(node.number("alpha", 1.702));
  if (alpha == 1) return hir::Elementwise{Unary{UnaryOp::silu}};
  return hir::Elementwise{Activation{ActivationKind::swish, alpha}};
}

}  // namespace

void register_contrib_gelu(Registry& r) {
  r.add_to(kContrib, "BiasGelu", {1}, parse_bias_gelu);
  r.add_to(kContrib, "FastGelu", {1}, parse_fast_gelu);
  r.add_to(kContrib, "Gelu", {1}, parse_gelu);
  r.add_to(kContrib, "QuickGelu", {1}, parse_quick_gelu);
}

}  // namespace strata::onnx
