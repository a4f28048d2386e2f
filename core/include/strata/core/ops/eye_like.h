#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// A matrix of the input's shape, with ones on one diagonal and zeros elsewhere.
///
///   input    a matrix        of any type [h,w]
///   output   dtype[h,w]
///   source   ONNX EyeLike-9
///
///   (C1) the input is a matrix     (C2) dtype is a number or bool
struct EyeLike {
  static constexpr std::string_view name = "EyeLike";
  DatumType dtype = DatumType::f32;
  std::int64_t k = 0;  ///< the diagonal: 0 is the main one, positive ones lie above

  static constexpr auto attributes() {
    return std::tuple{attr("dtype", &EyeLike::dtype), attr("k", &EyeLike::k)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<EyeLike>);

}  // namespace strata
