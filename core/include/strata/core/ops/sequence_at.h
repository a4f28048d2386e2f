#pragma once

#include "strata/core/patch.h"

namespace strata {

/// One item of a sequence.
///
///   inputs   a sequence, a position (one integer; negative counts from the end)
///   output   the item
///   source   ONNX SequenceAt-11
///
///   (C1) a sequence
///   (C2) the position is one integer
///   (C3) the position is within the sequence
struct SequenceAt {
  static constexpr std::string_view name = "SequenceAt";

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  ValueList eval(Values in) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<SequenceAt>);

}  // namespace strata
