#pragma once

#include <functional>
#include <span>

#include "strata/hir/ops/recurrent.h"

/// What the expansions of LSTM, GRU and RNN share: one Loop for each direction, over the steps of
/// X.
namespace strata::hir {

/// How the cell of a layer is made.
struct CellKind {
  std::int64_t gates = 1;     ///< rows of W and R, in units of the hidden size
  std::size_t states = 1;     ///< h, and c of an LSTM
  std::size_t functions = 1;  ///< of one direction
  enum class Bias : std::uint8_t { summed, apart } bias = Bias::summed;
};

/// What one step of one direction reads, as wires of the loop's body.
struct CellInputs {
  OutletId x;           ///< T[batch, input]
  OutletIds states;     ///< T[batch, hidden]
  OutletId w;           ///< T[gates * hidden, input]
  OutletId r;           ///< T[gates * hidden, hidden]
  OutletId input_bias;  ///< T[gates * hidden], or absent; the sum of both where they are summed
  OutletId state_bias;  ///< likewise
  OutletId peepholes;   ///< T[3 * hidden], or absent
  std::span<const GateFunction> functions;
  std::optional<float> clip;
};

/// Puts one step of a cell into a body; gives the next states. The first is the output of the step.
using Cell = std::function<OutletIds(Builder& body, const CellInputs& in)>;

/// Equations of the shapes and types of all inputs.
void recurrent_rules(Rules& r, const RecurrentLayer& layer, const CellKind& kind);
/// Y, and the last value of each state.
OutletIds wire_recurrent(Builder& b, const OutletIds& in, const RecurrentLayer& layer,
                         const CellKind& kind, const Cell& cell);

/// x W^T, plus the bias when there is one.
OutletId projected(Builder& body, OutletId x, OutletId weights, OutletId bias);
/// The function number `i` of the cell, on `x` within the clip.
OutletId apply_function(Builder& body, const CellInputs& in, std::size_t i, OutletId x);

}  // namespace strata::hir
