#include "strata/hir/ops/preprocessing.h"

#include <limits>

#include "ops/all.h"
#include "ops/ml_attributes.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_scaler(NodeArgs& node) {
  node.expect_inputs(1, 1);
  std::vector<float> offset = list_or_empty(node, "offset"), scale = list_or_empty(node, "scale");
  if (offset.empty()) offset = {0};
  if (scale.empty()) scale = {1};
  return hir::Scaler{vector_of(offset), vector_of(scale)};
}

hir::InferenceOp parse_imputer(NodeArgs& node) {
  node.expect_inputs(1, 1);
  const std::vector<float> floats = list_or_empty(node, "imputed_value_floats");
  const Shape integers = node.integers("imputed_value_int64s").value_or(Shape{});
  check(floats.empty() != integers.empty(),
        "one of imputed_value_floats and imputed_value_int64s must be given");
  const double number = node.number("replaced_value_float", 0);
  const std::int64_t integer = node.integer("replaced_value_int64", 0);
  if (integers.empty())
    return hir::Imputer{vector_of(floats), Tensor::scalar(static_cast<float>(number))};
  return hir::Imputer{integers_tensor(integers), Tensor::scalar(integer)};
}

hir::InferenceOp parse_normalizer(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Normalizer{named(node, "norm", hir::NormType::max)};
}

hir::InferenceOp parse_one_hot_encoder(NodeArgs& node) {
  node.expect_inputs(1, 1);
  const Tensor categories = class_labels(node, "cats_int64s", "cats_strings");
  check(categories.size() > 0, "no categories are given");
  return hir::OneHotEncoder{categories, node.flag("zeros", true) ? hir::UnknownCategory::zeros
                                                                 : hir::UnknownCategory::fails};
}

hir::InferenceOp parse_feature_vectorizer(NodeArgs& node) {
  node.expect_inputs(1, SIZE_MAX);
  const Shape columns = node.required_integers("inputdimensions");
  check(columns.size() == node.input_count(), counted(columns.size(), "size"), " for ",
        counted(node.input_count(), "input"));
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const std::int64_t each : columns)
    check(each >= 0 && each <= kMost, "inputdimensions has the entry ", each);
  return hir::FeatureVectorizer{{columns.begin(), columns.end()}};
}

}  // namespace

void register_preprocessing(Registry& r) {
  r.add_to(kMl, "FeatureVectorizer", {1}, parse_feature_vectorizer);
  r.add_to(kMl, "Imputer", {1}, parse_imputer);
  r.add_to(kMl, "Normalizer", {1}, parse_normalizer);
  r.add_to(kMl, "OneHotEncoder", {1}, parse_one_hot_encoder);
  r.add_to(kMl, "Scaler", {1}, parse_scaler);
}

}  // namespace strata::onnx
