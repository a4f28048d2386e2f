#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// An optional that holds its input.
///
///   input    a tensor or a sequence
///   output   an optional of its type
///   source   ONNX Optional-15
///
///   (C1) the input is no optional
struct OptionalOf {
  static constexpr std::string_view name = "OptionalOf";

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  ValueList eval(Values in) const;
};
static_assert(OpDef<OptionalOf>);

}  // namespace strata
