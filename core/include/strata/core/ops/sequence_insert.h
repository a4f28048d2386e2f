#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// A sequence with one item more.
///
///   inputs   a sequence, an item, and optionally the position that the item is put before (one
///            integer; negative counts from the end; absent: at the end)
///   output   a sequence       one item longer
///   source   ONNX SequenceInsert-11
///
///   (C1) a sequence     (C2) the item has the type of the others
///   (C3) the position is one integer     (C4) the position is within [-n, n]
struct SequenceInsert {
  static constexpr std::string_view name = "SequenceInsert";

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  ValueList eval(Values in) const;
};
static_assert(OpDef<SequenceInsert>);

}  // namespace strata
