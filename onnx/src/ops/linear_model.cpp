#include "strata/hir/ops/linear_model.h"

#include <algorithm>

#include "ops/all.h"
#include "ops/ml_attributes.h"

namespace strata::onnx {
namespace {

/// One number a row; zeros when the attribute is left out.
Tensor intercepts(NodeArgs& node, std::int64_t rows) {
  std::vector<float> values = list_or_empty(node, "intercepts");
  if (values.empty()) values.assign(static_cast<std::size_t>(rows), 0.0F);
  check(std::cmp_equal(values.size(), rows), values.size(), " intercepts for ", rows,
        " rows of coefficients");
  return vector_of(values);
}

hir::InferenceOp parse_linear_regressor(NodeArgs& node) {
  node.expect_inputs(1, 1);
  const std::int64_t targets = node.integer("targets", 1);
  return hir::LinearRegressor{matrix(list_or_empty(node, "coefficients"), targets, "coefficients"),
                              intercepts(node, targets), post_transform(node)};
}

/// Without intercepts two labels stand for two rows of coefficients.
hir::InferenceOp parse_linear_classifier(NodeArgs& node) {
  node.expect_inputs(1, 1);
  node.ignore("multi_class");
  const Tensor labels = class_labels(node, "classlabels_ints", "classlabels_strings");
  const auto given = static_cast<std::int64_t>(list_or_empty(node, "intercepts").size());
  const std::int64_t rows = given > 0 ? given : std::max<std::int64_t>(labels.size(), 1);
  const bool is_one_for_two = rows == 1 && labels.size() == 2;
  return hir::LinearClassifier{
      matrix(list_or_empty(node, "coefficients"), rows, "coefficients"), intercepts(node, rows),
      labels_of_classes(labels, is_one_for_two ? 2 : rows), post_transform(node)};
}

}  // namespace

void register_linear_model(Registry& r) {
  r.add_to(kMl, "LinearClassifier", {1}, parse_linear_classifier);
  r.add_to(kMl, "LinearRegressor", {1}, parse_linear_regressor);
}

}  // namespace strata::onnx
