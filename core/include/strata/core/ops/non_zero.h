#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// The indices of the elements that are not zero, in row-major order.
///
///   input    data             numbers, bools or strings of rank r
///   output   i64[r, n]
///   source   ONNX NonZero-13; tract_onnx_non_zero
///
///   (C1) one tensor
struct NonZero {
  static constexpr std::string_view name = "NonZero";

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<NonZero>);

}  // namespace strata
