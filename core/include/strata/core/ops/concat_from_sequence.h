#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Whether items are joined along an axis they have, or along a new one.
enum class SequenceJoin { existing_axis, new_axis };
constexpr auto enumerators(SequenceJoin) {
  using enum SequenceJoin;
  return std::array<std::pair<SequenceJoin, std::string_view>, 2>{
      {{existing_axis, "existing_axis"}, {new_axis, "new_axis"}}};
}

/// Joins the tensors of a sequence along an axis, or stacks them along a new one.
///
///   input    a sequence       of tensors
///   output   a tensor
///   source   ONNX ConcatFromSequence-11
///
///   (C1) a sequence of tensors     (C2) axis within the output's rank
///   (C3) at least one item         (C4) equal ranks, and equal dims off the axis
struct ConcatFromSequence {
  static constexpr std::string_view name = "ConcatFromSequence";
  std::int64_t axis = 0;  ///< negative counts from the end of the output
  SequenceJoin join = SequenceJoin::existing_axis;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &ConcatFromSequence::axis),
                      attr("join", &ConcatFromSequence::join)};
  }
  FactList output_facts(Facts in) const;
  ValueList eval(Values in) const;
};
static_assert(OpDef<ConcatFromSequence>);

}  // namespace strata
