#pragma once

#include "strata/core/patch.h"

namespace strata {

/// What a 0 in the target of a Reshape means.
enum class ReshapeZero { copy, keep };
constexpr auto enumerators(ReshapeZero) {
  using enum ReshapeZero;
  return std::array{std::pair{copy, std::string_view("copy")},
                    std::pair{keep, std::string_view("keep")}};
}

/// The same elements under another shape.
///
///   inputs   data             T[d_0, ..]
///            shape            integers[n]: -1 is worked out from the others, 0 copies the dim of
///                             data (zero = copy) or is an empty axis (zero = keep); what is known
///                             as a symbol may be 0 where it copies a 0
///   output   T[e_0, .., e_n-1]
///   source   ONNX Reshape-14; NNEF reshape
///
///   (C1) the target is a vector of integers     (C2) no dim below -1, at most one -1
///   (C3) a copied dim exists in data            (C4) as many elements before as after
struct Reshape {
  static constexpr std::string_view name = "Reshape";
  static constexpr bool evaluates_dims = true;
  ReshapeZero zero = ReshapeZero::copy;

  static constexpr auto attributes() { return std::tuple{attr("zero", &Reshape::zero)}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<Reshape>);

}  // namespace strata
