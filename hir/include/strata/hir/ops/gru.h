#pragma once

#include "strata/hir/ops/recurrent.h"

namespace strata::hir {

/// ONNX GRU: inputs X, W, R, and B, sequence_lens, initial_h, each of which may be left out;
/// outputs Y, Y_h. Its functions are f and g.
struct Gru {
  static constexpr std::string_view name = "GRU";
  /// Where the reset gate applies: to the state, or to its product with the recurrent weights
  /// (linear_before_reset).
  enum class Reset : std::uint8_t { before_product, after_product };
  RecurrentLayer layer;
  Reset reset = Reset::before_product;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Gru>);

}  // namespace strata::hir
