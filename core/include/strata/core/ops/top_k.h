#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Which elements TopK takes.
enum class TopKOrder { greatest, least };
constexpr auto enumerators(TopKOrder) {
  using enum TopKOrder;
  return std::array<std::pair<TopKOrder, std::string_view>, 2>{
      {{greatest, "greatest"}, {least, "least"}}};
}

/// The k greatest, or least, elements along an axis, best first, and where they were. Of equal
/// elements the first comes first; NaN counts as the greatest.
///
///   inputs   data             T[.., d, ..]
///            k                one integer
///   outputs  values           T[.., k, ..]
///            indices          i64[.., k, ..]
///   source   ONNX TopK-11; tract_core_topk
///
///   (C1) data are real numbers, not packed
///   (C2) axis within the rank
///   (C3) k is one integer
///   (C4) k is within [0, d]
struct TopK {
  static constexpr std::string_view name = "TopK";
  std::int64_t axis = -1;  ///< negative counts from the end
  TopKOrder order = TopKOrder::greatest;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &TopK::axis), attr("order", &TopK::order)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<TopK>);

}  // namespace strata
