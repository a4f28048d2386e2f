#include "strata/hir/ops/rnn.h"

#include "ops/all.h"
#include "ops/recurrent_layer.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_rnn(NodeArgs& node) {
  node.expect_inputs(3, 6);
  return hir::Rnn{parse_recurrent(node, {hir::GateFunctionKind::tanh})};
}

}  // namespace

void register_rnn(Registry& r) { r.add("RNN", {1, 7, 14, 22}, parse_rnn); }

}  // namespace strata::onnx
