#pragma once

#include "strata/core/attributes.h"
#include "strata/onnx/registry.h"

namespace strata::onnx {

/// The enumerator that a text attribute names. Throws: invalid_model when it names none.
template <NamedEnum E>
E required_named(NodeArgs& node, std::string_view attribute) {
  const std::string what = cat("the attribute ", in_quotes(attribute));
  return static_cast<E>(value_of(kEnumerators<E>, node.required_text(attribute), what));
}
template <NamedEnum E>
E named(NodeArgs& node, std::string_view attribute, E otherwise) {
  return node.has(attribute) ? required_named<E>(node, attribute) : otherwise;
}

template <class T>
Tensor vector_of(const std::vector<T>& values) {
  return Tensor::vector<T>(std::span<const T>(values));
}
/// An i64 vector.
inline Tensor integers_tensor(const Shape& values) {
  return Tensor::vector<std::int64_t>(std::span<const std::int64_t>(values));
}

}  // namespace strata::onnx
