#include "strata/core/ops/activation.h"

#include "ops/all.h"
#include "strata/core/ops/unary.h"
#include "strata/hir/ops/elementwise.h"

namespace strata::onnx {
namespace {

/// An op that is a row of core's family, with what ONNX calls its parameters and their defaults.
struct Row {
  std::string_view name;
  ActivationKind op;
  std::string_view alpha_name;
  double alpha;
  std::string_view beta_name;
  double beta;
  std::initializer_list<int> versions;
};

constexpr Row kRows[] = {
    {"Celu", ActivationKind::celu, "alpha", 1, "", 0, {12, 28}},
    {"Elu", ActivationKind::elu, "alpha", 1, "", 0, {1, 6, 22}},
    {"HardSigmoid", ActivationKind::hard_sigmoid, "alpha", 0.2, "beta", 0.5, {1, 6, 22}},
    {"LeakyRelu", ActivationKind::leaky_relu, "alpha", 0.01, "", 0, {1, 6, 16}},
    {"Selu",
     ActivationKind::selu,
     "alpha",
     1.67326319217681884765625,
     "gamma",
     1.05070102214813232421875,
     {1, 6, 22}},
    {"Shrink", ActivationKind::shrink, "lambd", 0.5, "bias", 0, {9}},
    {"Swish", ActivationKind::swish, "alpha", 1, "", 0, {24}},
    {"ThresholdedRelu", ActivationKind::thresholded_relu, "alpha", 1, "", 0, {10, 22}},
};

hir::InferenceOp parse_activation(NodeArgs& node) {
  node.expect_inputs(1, 1);
  if (node.version() == 1) node.ignore("consumed_inputs");
  for (const Row& row : kRows) {
    if (row.name != node.op_type()) continue;
    // The first Selu had shorter constants.
    const bool is_first_selu = row.op == ActivationKind::selu && node.version() == 1;
    Activation op{row.op};
    op.alpha = static_cast<float>(node.number(row.alpha_name, is_first_selu ? 1.6732 : row.alpha));
    if (!row.beta_name.empty())
      op.beta = static_cast<float>(node.number(row.beta_name, is_first_selu ? 1.0507 : row.beta));
    if (op.op == ActivationKind::swish && op.alpha == 1)
      return hir::Elementwise{Unary{UnaryOp::silu}};
    return hir::Elementwise{op};
  }
  fail(ErrorKind::internal, node.op_type(), " has no row");
}

/// Version 6 had bounds by default, the ends of f32.
constexpr double kGreatest = 3.4028234663852886e+38;

hir::InferenceOp parse_clip(NodeArgs& node) {
  if (node.version() >= 11) {
    node.expect_inputs(1, 3);
    return hir::Clip{};
  }
  node.expect_inputs(1, 1);
  if (node.version() == 6)
    return hir::Clip{node.number("min", -kGreatest), node.number("max", kGreatest)};
  node.ignore("consumed_inputs");
  return hir::Clip{node.number("min"), node.number("max")};
}

}  // namespace

void register_activation(Registry& r) {
  for (const Row& row : kRows) r.add(row.name, row.versions, parse_activation);
  r.add("Clip", {1, 6, 11, 12, 13}, parse_clip);
}

}  // namespace strata::onnx
