#include "strata/hir/ops/gru.h"

#include "ops/all.h"
#include "ops/recurrent_layer.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_gru(NodeArgs& node) {
  node.expect_inputs(3, 6);
  using enum hir::GateFunctionKind;
  hir::Gru out{parse_recurrent(node, {sigmoid, tanh})};
  if (node.version() >= 3 && node.flag("linear_before_reset", false))
    out.reset = hir::Gru::Reset::after_product;
  return out;
}

}  // namespace

void register_gru(Registry& r) { r.add("GRU", {1, 3, 7, 14, 22}, parse_gru); }

}  // namespace strata::onnx
