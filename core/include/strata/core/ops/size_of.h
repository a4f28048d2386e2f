#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// The number of elements of a tensor, as an i64 scalar.
///
///   source   ONNX Size-13
///
///   (C1) one tensor
struct SizeOf {
  static constexpr std::string_view name = "SizeOf";

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<SizeOf>);

}  // namespace strata
