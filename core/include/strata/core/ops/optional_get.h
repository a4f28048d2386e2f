#pragma once

#include "strata/core/patch.h"

namespace strata {

/// What an optional holds; any other value is passed on as it is.
///
///   input    an optional that holds something, or a tensor or sequence
///   output   the value
///   source   ONNX OptionalGetElement-18
///
///   (C1) the optional is not empty
struct OptionalGet {
  static constexpr std::string_view name = "OptionalGet";

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  ValueList eval(Values in) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<OptionalGet>);

}  // namespace strata
