#include "strata/hir/ops/lstm.h"

#include "ops/all.h"
#include "ops/recurrent_layer.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_lstm(NodeArgs& node) {
  node.expect_inputs(3, 8);
  using enum hir::GateFunctionKind;
  hir::Lstm out{parse_recurrent(node, {sigmoid, tanh, tanh})};
  if (node.flag("input_forget", false)) out.forget_gate = hir::Lstm::ForgetGate::coupled;
  return out;
}

}  // namespace

void register_lstm(Registry& r) { r.add("LSTM", {1, 7, 14, 22}, parse_lstm); }

}  // namespace strata::onnx
