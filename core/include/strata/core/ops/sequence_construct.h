#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// A sequence of its inputs.
///
///   inputs   n >= 1 values    of one type
///   output   a sequence       of length n
///   source   ONNX SequenceConstruct-11
///
///   (C1) at least one input     (C2) one type
struct SequenceConstruct {
  static constexpr std::string_view name = "SequenceConstruct";

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  ValueList eval(Values in) const;
};
static_assert(OpDef<SequenceConstruct>);

}  // namespace strata
