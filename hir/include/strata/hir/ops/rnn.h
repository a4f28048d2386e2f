#pragma once

#include "strata/hir/ops/recurrent.h"

namespace strata::hir {

/// ONNX RNN: inputs X, W, R, and B, sequence_lens, initial_h, each of which may be left out;
/// outputs Y, Y_h. Its function is f.
struct Rnn {
  static constexpr std::string_view name = "RNN";
  RecurrentLayer layer;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Rnn>);

}  // namespace strata::hir
