#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Whether an optional holds something; any other value counts as held.
///
///   input    an optional, a tensor or a sequence
///   output   a bool scalar
///   source   ONNX OptionalHasElement-18
///
///   (C1) one input
struct OptionalHas {
  static constexpr std::string_view name = "OptionalHas";

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  ValueList eval(Values in) const;
};
static_assert(OpDef<OptionalHas>);

}  // namespace strata
