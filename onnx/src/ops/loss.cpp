#include "strata/hir/ops/loss.h"

#include "ops/all.h"
#include "ops/named.h"

namespace strata::onnx {
namespace {

template <class Loss>
hir::InferenceOp parse_loss(NodeArgs& node) {
  node.expect_inputs(2, 3);
  return Loss{named(node, "reduction", hir::LossReduction::mean), node.integer("ignore_index")};
}

}  // namespace

void register_loss(Registry& r) {
  r.add("NegativeLogLikelihoodLoss", {12, 13, 22}, parse_loss<hir::NegativeLogLikelihoodLoss>);
  r.add("SoftmaxCrossEntropyLoss", {12, 13}, parse_loss<hir::SoftmaxCrossEntropyLoss>);
}

}  // namespace strata::onnx
