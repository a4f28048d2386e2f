#pragma once

#include <array>

#include "strata/core/typed_op.h"

namespace strata {

enum class Cumulation : std::uint8_t { sum, prod };

constexpr auto enumerators(Cumulation) {
  return std::to_array<std::pair<Cumulation, std::string_view>>(
      {{Cumulation::sum, "sum"}, {Cumulation::prod, "prod"}});
}

/// The running sum or product of the elements along an axis.
///
///   inputs   data   T[..]
///            axis   an integer, one element; negative counts from the end
///   output   T[..]
///   source   ONNX CumSum-14, CumProd-26
///
///   (C1) two inputs                  (C2) a real numeric type
///   (C3) axis: one integer           (C4) axis within the rank
struct Cumulate {
  static constexpr std::string_view name = "Cumulate";
  Cumulation op = Cumulation::sum;
  bool exclusive = false;  ///< without the element itself
  bool reverse = false;    ///< from the end of the axis

  static constexpr auto attributes() {
    return std::tuple{attr("op", &Cumulate::op), attr("exclusive", &Cumulate::exclusive),
                      attr("reverse", &Cumulate::reverse)};
  }

  std::string display_name() const { return op == Cumulation::sum ? "CumSum" : "CumProd"; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Cumulate>);

}  // namespace strata
