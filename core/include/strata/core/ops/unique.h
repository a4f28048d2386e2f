#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// The order of the values that Unique finds.
enum class UniqueOrder { ascending, first_seen };
constexpr auto enumerators(UniqueOrder) {
  using enum UniqueOrder;
  return std::array<std::pair<UniqueOrder, std::string_view>, 2>{
      {{ascending, "ascending"}, {first_seen, "first_seen"}}};
}

/// The different elements of a tensor, or its different slices along an axis.
///
///   input    data             T[..]
///   outputs  values           T[n], or T[.., n, ..] with an axis
///            indices          i64[n]: where each was first
///            inverse          i64[elements, or the size of the axis]: which of the values each is
///            counts           i64[n]
///   source   ONNX Unique-11
///
///   (C1) data are real numbers, bools or strings     (C2) axis within the rank
struct Unique {
  static constexpr std::string_view name = "Unique";
  std::optional<std::int64_t>
      axis;  ///< negative counts from the end; absent: data is read as a vector
  UniqueOrder order = UniqueOrder::ascending;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &Unique::axis), attr("order", &Unique::order)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Unique>);

}  // namespace strata
