#include "strata/hir/ops/normalization.h"

#include "ops/all.h"
#include "strata/core/ops/lrn.h"
#include "strata/hir/ops/batch_normalization.h"
#include "strata/hir/ops/elementwise.h"

namespace strata::onnx {
namespace {

float epsilon(NodeArgs& node) { return static_cast<float>(node.number("epsilon", 1e-5)); }

hir::InferenceOp parse_layer_normalization(NodeArgs& node) {
  node.expect_inputs(2, 3);
  return hir::LayerNormalization{node.integer("axis", -1), epsilon(node),
                                 node.dtype("stash_type", DatumType::f32)};
}

hir::InferenceOp parse_rms_normalization(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::RmsNormalization{node.integer("axis", -1), epsilon(node),
                               node.dtype("stash_type", DatumType::f32)};
}

hir::InferenceOp parse_instance_normalization(NodeArgs& node) {
  node.expect_inputs(3, 3);
  if (node.version() == 1) node.ignore("consumed_inputs");
  return hir::InstanceNormalization{epsilon(node)};
}

hir::InferenceOp parse_group_normalization(NodeArgs& node) {
  node.expect_inputs(3, 3);
  // The reference computes in double, which no stash type is above.
  if (node.version() >= 21) node.ignore("stash_type");
  const std::int64_t groups = node.required_integer("num_groups");
  check(groups > 0, "num_groups is ", groups);
  return hir::GroupNormalization{
      groups, epsilon(node), node.version() < 21 ? hir::ScaleUnit::group : hir::ScaleUnit::channel};
}

/// Before version 14 the outputs that are asked for tell training from inference: many files leave
/// is_test out.
bool is_training(NodeArgs& node) {
  if (node.version() >= 14) return node.flag("training_mode", false);
  if (node.version() <= 6) node.ignore("is_test");
  for (std::size_t i = 1; i < node.output_count(); ++i)
    if (node.has_output(i)) return true;
  return false;
}

hir::InferenceOp parse_batch_normalization(NodeArgs& node) {
  node.expect_inputs(5, 5);
  if (node.version() == 1) node.ignore("consumed_inputs");
  hir::BatchNormalization op{epsilon(node), static_cast<float>(node.number("momentum", 0.9))};
  if (is_training(node)) op.statistics = hir::BatchStatistics::of_batch;
  if (node.version() <= 7 && !node.flag("spatial", true)) op.unit = hir::BatchUnit::place;
  return op;
}

hir::InferenceOp parse_lp_normalization(NodeArgs& node) {
  node.expect_inputs(1, 1);
  const std::int64_t p = node.integer("p", 2);
  check(p == 1 || p == 2, "p is ", p, ", neither 1 nor 2");
  return hir::LpNormalization{node.integer("axis", -1), p};
}

hir::InferenceOp parse_mean_variance_normalization(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::MeanVarianceNormalization{node.integers("axes").value_or(Shape{0, 2, 3})};
}

hir::InferenceOp parse_lrn(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Elementwise{Lrn{
      static_cast<float>(node.number("alpha", 1e-4)), static_cast<float>(node.number("beta", 0.75)),
      static_cast<float>(node.number("bias", 1)), node.required_integer("size")}};
}

}  // namespace

void register_normalization(Registry& r) {
  r.add("BatchNormalization", {1, 6, 7, 9, 14, 15}, parse_batch_normalization);
  r.add("GroupNormalization", {18, 21}, parse_group_normalization);
  r.add("InstanceNormalization", {1, 6, 22}, parse_instance_normalization);
  r.add("LRN", {1, 13}, parse_lrn);
  // ONNX Runtime had it before the standard, and writes it whatever the opset.
  r.add("LayerNormalization", {1, 17}, parse_layer_normalization);
  r.add("LpNormalization", {1, 22}, parse_lp_normalization);
  r.add("MeanVarianceNormalization", {9, 13}, parse_mean_variance_normalization);
  r.add("RMSNormalization", {23}, parse_rms_normalization);
}

}  // namespace strata::onnx
