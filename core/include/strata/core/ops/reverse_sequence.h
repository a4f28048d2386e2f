#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Reverses the first lengths[b] elements along the time axis for each index b of the batch axis.
///
///   inputs   data             T[..]
///            lengths          integers[batch]
///   output   T of data's shape
///   source   ONNX ReverseSequence-10
///
///   (C1) two different axes within the rank     (C2) one length a batch, integers
///   (C3) lengths within [0, time]
struct ReverseSequence {
  static constexpr std::string_view name = "ReverseSequence";
  static constexpr bool moves_elements = true;
  std::int64_t batch_axis = 1;
  std::int64_t time_axis = 0;

  static constexpr auto attributes() {
    return std::tuple{attr("batch_axis", &ReverseSequence::batch_axis),
                      attr("time_axis", &ReverseSequence::time_axis)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<ReverseSequence>);

}  // namespace strata
