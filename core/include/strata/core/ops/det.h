#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// The determinant of each matrix.
///
///   input    x   float[.., n, n]
///   output   float[..]
///   source   ONNX Det-22
///
///   (C1) one input of floats      (C2) square matrices
struct Det {
  static constexpr std::string_view name = "Det";

  static constexpr auto attributes() { return std::tuple{}; }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Det>);

}  // namespace strata
