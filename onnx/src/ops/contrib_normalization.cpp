#include "ops/all.h"
#include "ops/contrib.h"
#include "strata/hir/ops/normalization.h"
#include "strata/hir/ops/skip_normalization.h"

namespace strata::onnx {
namespace {

float epsilon(NodeArgs& node, double otherwise) {
  return static_cast<float>(node.number("epsilon", otherwise));
}

hir::InferenceOp parse_simplified(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::RmsNormalization{node.integer("axis", -1), epsilon(node, 1e-5),
                               node.dtype("stash_type", DatumType::f32)};
}

hir::InferenceOp parse_skip(NodeArgs& node) {
  node.expect_inputs(3, 5);
  return hir::SkipNormalization{hir::SkipNorm::layer, epsilon(node, 1e-12)};
}

hir::InferenceOp parse_skip_simplified(NodeArgs& node) {
  node.expect_inputs(3, 4);
  refuse_output(node, 1, "mean");
  return hir::SkipNormalization{hir::SkipNorm::rms, epsilon(node, 1e-12)};
}

hir::InferenceOp parse_embed(NodeArgs& node) {
  node.expect_inputs(7, 9, {1, 4});
  // Whether there is an output of places shown, which the outputs themselves tell.
  node.ignore("mask_index_type");
  return hir::EmbedLayerNormalization{epsilon(node, 1e-12)};
}

}  // namespace

void register_contrib_normalization(Registry& r) {
  r.add_to(kContrib, "EmbedLayerNormalization", {1}, parse_embed);
  r.add_to(kContrib, "SkipLayerNormalization", {1}, parse_skip);
  r.add_to(kContrib, "SkipSimplifiedLayerNormalization", {1}, parse_skip_simplified);
  // ONNX Runtime has it in the domain of the standard, which lacks it.
  r.add("SimplifiedLayerNormalization", {1}, parse_simplified);
}

}  // namespace strata::onnx
