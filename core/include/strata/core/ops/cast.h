#pragma once

#include <array>

#include "strata/core/patch.h"

namespace strata {

constexpr auto enumerators(Overflow) {
  return std::to_array<std::pair<Overflow, std::string_view>>(
      {{Overflow::saturate, "saturate"}, {Overflow::to_infinity_or_nan, "to_infinity_or_nan"}});
}

constexpr auto enumerators(FloatRounding) {
  return std::to_array<std::pair<FloatRounding, std::string_view>>(
      {{FloatRounding::nearest_even, "nearest_even"},
       {FloatRounding::up, "up"},
       {FloatRounding::down, "down"}});
}

/// Converts each element to another type.
///
///   input    x   S[..]      output   T[..], T given by `to`
///   source   ONNX Cast-25; strata::cast (tensor.h) says how each pair of types converts
///
///   (C1) one input      (C2) `to` is not dim
struct Cast {
  static constexpr std::string_view name = "Cast";
  static constexpr bool evaluates_dims = true;
  DatumType to = DatumType::f32;
  Overflow overflow = Overflow::saturate;                ///< for the 8-bit floats
  FloatRounding rounding = FloatRounding::nearest_even;  ///< for f8e8m0

  static constexpr auto attributes() {
    return std::tuple{attr("to", &Cast::to), attr("overflow", &Cast::overflow),
                      attr("rounding", &Cast::rounding)};
  }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<Cast>);

}  // namespace strata
