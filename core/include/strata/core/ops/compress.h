#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// The slices of data along an axis whose condition holds.
///
///   inputs   data             T[.., d, ..]
///            condition        bool[c], c <= d: what is beyond it is left out
///   output   T[.., n, ..], or T[n] without an axis, which reads data as a vector
///   source   ONNX Compress-11; tract_core_compress
///
///   (C1) the condition is a vector of bools     (C2) axis within the rank     (C3) c is at most d
struct Compress {
  static constexpr std::string_view name = "Compress";
  static constexpr bool moves_elements = true;
  std::optional<std::int64_t> axis;  ///< negative counts from the end

  static constexpr auto attributes() { return std::tuple{attr("axis", &Compress::axis)}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Compress>);

}  // namespace strata
