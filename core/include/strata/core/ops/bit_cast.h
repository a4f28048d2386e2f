#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Reinterprets the bits of each element as another type.
///
///   input    x   S[..]      output   T[..], T given by `to`
///   source   ONNX BitCast-26
///
///   (C1) one input      (C2) both types of one width, neither string nor dim
struct BitCast {
  static constexpr std::string_view name = "BitCast";
  DatumType to = DatumType::f32;

  static constexpr auto attributes() { return std::tuple{attr("to", &BitCast::to)}; }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<BitCast>);

}  // namespace strata
