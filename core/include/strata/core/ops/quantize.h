#pragma once

#include "strata/core/ops/cast.h"

namespace strata {

/// Turns numbers into quantised ones: saturate(round(x / scale) + zero_point), or, for the 8-bit
/// and 4-bit floats, x / scale + zero_point converted to them.
///
///   inputs   x            F[..]
///            scale        S[..]: one number; or a vector, one number for each index of `axis`; or,
///                         with block_size > 0, of the rank of x, one number for each block along
///                         `axis`
///            zero_point   T, the shape of scale; optional, 0
///   output   T[..], T given by `to`
///   source   ONNX QuantizeLinear-25
///
///   (C1) two or three inputs
///   (C2) numeric x and scale, `to` an integer or a narrow float
///   (C3) zero_point of type `to` and the shape of scale
///   (C4) scale of a shape that fits x, axis and block_size
///
/// Halves are rounded to even. The quotient is taken in the type `precision`.
struct Quantize {
  static constexpr std::string_view name = "Quantize";
  DatumType to = DatumType::u8;
  std::int64_t axis = 1;        ///< negative counts from the end
  std::int64_t block_size = 0;  ///< 0: a scale for all, or one for each index of the axis
  DatumType precision = DatumType::f32;
  Overflow overflow = Overflow::saturate;  ///< for the 8-bit floats

  static constexpr auto attributes() {
    return std::tuple{attr("to", &Quantize::to), attr("axis", &Quantize::axis),
                      attr("block_size", &Quantize::block_size),
                      attr("precision", &Quantize::precision),
                      attr("overflow", &Quantize::overflow)};
  }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Quantize>);

/// Turns quantised numbers into what they stand for: (x - zero_point) * scale.
///
///   inputs   x            Q[..]
///            scale        S, as in Quantize
///            zero_point   Q, the shape of scale; optional, 0
///   output   T[..], T given by `to`
///   source   ONNX DequantizeLinear-25
///
///   (C1) two or three inputs     (C2) numeric x and scale, `to` a float type
///   (C3) zero_point of the type of x and the shape of scale
///   (C4) scale of a shape that fits x, axis and block_size
struct Dequantize {
  static constexpr std::string_view name = "Dequantize";
  DatumType to = DatumType::f32;
  std::int64_t axis = 1;        ///< negative counts from the end
  std::int64_t block_size = 0;  ///< as in Quantize

  static constexpr auto attributes() {
    return std::tuple{attr("to", &Dequantize::to), attr("axis", &Dequantize::axis),
                      attr("block_size", &Dequantize::block_size)};
  }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Dequantize>);

}  // namespace strata
