#include "strata/hir/ops/optimizer.h"

#include <cstdint>

#include "ops/all.h"
#include "ops/named.h"

namespace strata::onnx {
namespace {

constexpr std::string_view kTraining = "ai.onnx.preview.training";

double required_number(NodeArgs& node, std::string_view name) {
  const auto value = node.number(name);
  check(value.has_value(), "the attribute ", in_quotes(name), " is missing");
  return *value;
}

hir::InferenceOp parse_momentum(NodeArgs& node) {
  node.expect_inputs(5, SIZE_MAX);
  check(node.has("mode"), "the attribute \"mode\" is missing");
  return hir::Momentum{named(node, "mode", hir::MomentumMode::standard),
                       required_number(node, "alpha"), required_number(node, "beta"),
                       required_number(node, "norm_coefficient")};
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
