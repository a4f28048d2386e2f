#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Cuts a tensor along one axis into a sequence of its parts.
///
///   inputs   data              T[.., d, ..]
///            split, optional   one integer: the size of each part, the last may be smaller; or
///                              integers[n]: each size; absent: parts of size 1, whose axis is
///                              taken out unless kept
///   output   a sequence of tensors
///   source   ONNX SplitToSequence-11
///
///   (C1) axis within the rank     (C2) split is a scalar or a vector of integers
///   (C3) a single size is above 0, none is negative     (C4) the sizes sum up to the axis
struct SplitToSequence {
  static constexpr std::string_view name = "SplitToSequence";
  std::int64_t axis = 0;  ///< negative counts from the end
  bool keep_axis = true;  ///< whether parts keep the axis when there is no split

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &SplitToSequence::axis),
                      attr("keep_axis", &SplitToSequence::keep_axis)};
  }
  FactList output_facts(Facts in) const;
  ValueList eval(Values in) const;
};
static_assert(OpDef<SplitToSequence>);

}  // namespace strata
