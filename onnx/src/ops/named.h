#pragma once

#include "strata/core/attributes.h"
#include "strata/onnx/registry.h"

namespace strata::onnx {

/// The enumerator that a text attribute names. Throws: invalid_model when it names none.
template <NamedEnum E>
E named(NodeArgs& node, std::string_view attribute, E otherwise) {
  const auto text = node.text(attribute);
  if (!text) return otherwise;
  for (const auto& [value, name] : enumerators(otherwise))
    if (name == *text) return value;
  fail(ErrorKind::invalid_model,
       cat("the attribute ", in_quotes(attribute), " is ", in_quotes(*text)));
}

/// An i64 vector.
inline Tensor integers_tensor(const Shape& values) {
  return Tensor::vector<std::int64_t>(std::span<const std::int64_t>(values));
}

}  // namespace strata::onnx
