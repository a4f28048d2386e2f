#include "ops/ml_attributes.h"

#include <array>

namespace strata::onnx {

hir::PostTransform post_transform(NodeArgs& node) {
  using enum hir::PostTransform;
  constexpr std::array<std::pair<std::string_view, hir::PostTransform>, 5> kNames{
      {{"NONE", none},
       {"SOFTMAX", softmax},
       {"LOGISTIC", logistic},
       {"SOFTMAX_ZERO", softmax_zero},
       {"PROBIT", probit}}};
  const std::string text = node.text("post_transform", "NONE");
  for (const auto& [name, transform] : kNames)
    if (text == name) return transform;
  fail(ErrorKind::invalid_model, "the attribute \"post_transform\" is ", in_quotes(text));
}

Tensor class_labels(NodeArgs& node, std::string_view integers, std::string_view texts) {
  const Shape numbers = node.integers(integers).value_or(Shape{});
  const auto strings = node.texts(texts).value_or(std::vector<std::string>{});
  check(numbers.empty() || strings.empty(), "both ", integers, " and ", texts, " give labels");
  return strings.empty() ? integers_tensor(numbers) : vector_of(strings);
}

Tensor labels_of_classes(const Tensor& labels, std::int64_t classes) {
  if (labels.size() == 0) {
    Shape places;
    for (std::int64_t i = 0; i < classes; ++i) places.push_back(i);
    return integers_tensor(places);
  }
  check(labels.size() == classes, labels.size(), " labels for ", classes, " classes");
  return labels;
}

Tensor matrix(const std::vector<float>& values, std::int64_t rows, std::string_view name) {
  const auto count = static_cast<std::int64_t>(values.size());
  check(rows > 0 && count > 0 && count % rows == 0, name, " has ", count, " values for ", rows,
        " rows");
  return vector_of(values).reshaped({rows, count / rows});
}

}  // namespace strata::onnx
