#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// A sequence without one of its items.
///
///   inputs   a sequence, and optionally a position (one integer; negative counts from the end;
///            absent: the last)
///   output   a sequence       one item shorter
///   source   ONNX SequenceErase-11
///
///   (C1) a sequence
///   (C2) the position is one integer
///   (C3) the position is within the sequence
struct SequenceErase {
  static constexpr std::string_view name = "SequenceErase";

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  ValueList eval(Values in) const;
};
static_assert(OpDef<SequenceErase>);

}  // namespace strata
