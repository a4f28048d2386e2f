#pragma once

#include "strata/core/lazy.h"
#include "strata/core/typed_op.h"

namespace strata {

/// Looks each element up in a list of keys.
///
///   input    data             K[..]
///   output   V[..]: values[i] where data is keys[i], else `otherwise`
///   source   ONNX ai.onnx.ml LabelEncoder-4
///
///   (C1) data have the type of the keys
///   (C2) as many values as keys
///   (C3) `otherwise` is one element of the values' type
struct LabelEncoder {
  static constexpr std::string_view name = "LabelEncoder";
  Tensor keys;
  Tensor values;
  Tensor otherwise;
  struct Table;
  Lazy<Table> table = {};  ///< made from the keys and values

  static constexpr auto attributes() {
    return std::tuple{attr("keys", &LabelEncoder::keys), attr("values", &LabelEncoder::values),
                      attr("otherwise", &LabelEncoder::otherwise)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<LabelEncoder>);

}  // namespace strata
