#pragma once

#include "strata/hir/ops/recurrent.h"

namespace strata::hir {

/// ONNX LSTM: inputs X, W, R, and B, sequence_lens, initial_h, initial_c, P, each of which may be
/// left out; outputs Y, Y_h, Y_c. Its functions are f, g and h.
struct Lstm {
  static constexpr std::string_view name = "LSTM";
  /// Whether the forget gate has weights of its own, or is 1 minus the input gate.
  enum class ForgetGate : std::uint8_t { own, coupled };
  RecurrentLayer layer;
  ForgetGate forget_gate = ForgetGate::own;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Lstm>);

}  // namespace strata::hir
