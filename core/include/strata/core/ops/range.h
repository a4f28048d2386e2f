#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// start, start + delta, .., stopping before limit.
///
///   inputs   start, limit, delta   T scalars
///   output   T[max(0, ceil((limit - start) / delta))]
///   source   ONNX Range-11; tract_core_range
///
///   (C1) three scalars of one real number type     (C2) delta is not 0
struct Range {
  static constexpr std::string_view name = "Range";

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Range>);

}  // namespace strata
