#pragma once

#include "strata/core/attributes.h"
#include "strata/onnx/registry.h"

namespace strata::onnx {

/// The enumerator that a text attribute names. Throws: invalid_model when it names none.
template <NamedEnum E>
E named(NodeArgs& node, std::string_view attribute, E otherwise) {
  const auto text = node.text(attribute);
  if (!text) return otherwise;
  const std::string what = cat("the attribute ", in_quotes(attribute));
  return static_cast<E>(value_of(kEnumerators<E>, *text, what));
}

/// An i64 vector.
inline Tensor integers_tensor(const Shape& values) {
  return Tensor::vector<std::int64_t>(std::span<const std::int64_t>(values));
}

}  // namespace strata::onnx
