#include "strata/hir/ops/optimizer.h"

#include <cstdint>

#include "ops/all.h"
#include "ops/named.h"

namespace strata::onnx {
namespace {

constexpr std::string_view kTraining = "ai.onnx.preview.training";

hir::InferenceOp parse_momentum(NodeArgs& node) {
  node.expect_inputs(5, SIZE_MAX);
  return hir::Momentum{required_named<hir::MomentumMode>(node, "mode"),
                       node.required_number("alpha"), node.required_number("beta"),
                       node.required_number("norm_coefficient")};
}

hir::InferenceOp parse_adagrad(NodeArgs& node) {
  node.expect_inputs(5, SIZE_MAX);
  return hir::Adagrad{node.number("decay_factor", 0), node.number("epsilon", 1e-6),
                      node.number("norm_coefficient", 0)};
}

hir::InferenceOp parse_adam(NodeArgs& node) {
  node.expect_inputs(6, SIZE_MAX);
  return hir::Adam{node.number("alpha", 0.9), node.number("beta", 0.999),
                   node.number("epsilon", 1e-6), node.number("norm_coefficient", 0),
                   node.number("norm_coefficient_post", 0)};
}

}  // namespace

void register_optimizer(Registry& r) {
  r.add_to(kTraining, "Adagrad", {1}, parse_adagrad);
  r.add_to(kTraining, "Adam", {1}, parse_adam);
  r.add_to(kTraining, "Momentum", {1}, parse_momentum);
}

}  // namespace strata::onnx
