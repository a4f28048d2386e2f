#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// The part of a matrix that is kept, its diagonal included.
enum class Triangle { upper, lower };
constexpr auto enumerators(Triangle) {
  using enum Triangle;
  return std::array<std::pair<Triangle, std::string_view>, 2>{{{upper, "upper"}, {lower, "lower"}}};
}

/// Matrices with the elements on one side of a diagonal set to zero.
///
///   inputs   data             T[.., h, w]
///            k, optional      one integer: the diagonal, 0 is the main one, positive ones lie
///                             above; absent: 0
///   output   T[.., h, w]
///   source   ONNX Trilu-14; tract_core_trilu
///
///   (C1) data has rank >= 2     (C2) k is one integer
struct Trilu {
  static constexpr std::string_view name = "Trilu";
  static constexpr bool moves_elements = true;
  Triangle kept = Triangle::upper;

  static constexpr auto attributes() { return std::tuple{attr("kept", &Trilu::kept)}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Trilu>);

}  // namespace strata
