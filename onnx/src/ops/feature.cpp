#include "strata/hir/ops/feature.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_array_feature_extractor(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::ArrayFeatureExtractor{};
}

hir::InferenceOp parse_binarizer(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Binarizer{node.number("threshold", 0)};
}

}  // namespace

void register_feature(Registry& r) {
  r.add_to("ai.onnx.ml", "ArrayFeatureExtractor", {1}, parse_array_feature_extractor);
  r.add_to("ai.onnx.ml", "Binarizer", {1}, parse_binarizer);
}

}  // namespace strata::onnx
