#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// The number of items of a sequence, as an i64 scalar.
///
///   source   ONNX SequenceLength-11
///
///   (C1) a sequence
struct SequenceLength {
  static constexpr std::string_view name = "SequenceLength";

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  ValueList eval(Values in) const;
};
static_assert(OpDef<SequenceLength>);

}  // namespace strata
