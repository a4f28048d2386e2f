#pragma once

#include <optional>

#include "strata/core/typed_op.h"

namespace strata {

/// Cuts a tensor along one axis into a sequence of its parts.
///
///   inputs   data              T[.., d, ..]
///            split, optional   one integer: the size of each part, the last may be smaller; or
///                              integers[n]: each size; absent: parts of size 1
///   output   a sequence of tensors
///   source   ONNX SplitToSequence-11. By its text a split makes parts keep the axis; exporters
///            write a split of 1 where they mean none, and ONNX Runtime takes it so.
///
///   (C1) axis within the rank     (C2) split is a scalar or a vector of integers
///   (C3) a single size is above 0, none is negative     (C4) the sizes sum up to the axis
struct SplitToSequence {
  static constexpr std::string_view name = "SplitToSequence";
  std::int64_t axis = 0;  ///< negative counts from the end
  bool keep_axis = true;  ///< if not, parts lose it where split is absent or one integer, 1

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &SplitToSequence::axis),
                      attr("keep_axis", &SplitToSequence::keep_axis)};
  }
  /// Whether parts keep the axis, where `split` is null for none; nothing where only a run tells.
  std::optional<bool> parts_keep_axis(const Fact* split) const;
  FactList output_facts(Facts in) const;
  ValueList eval(Values in) const;
};
static_assert(OpDef<SplitToSequence>);

}  // namespace strata
