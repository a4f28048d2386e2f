#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// The order in which a recurrent layer takes the steps of a sequence; bidirectional is forward,
/// then reverse.
enum class SequenceDirection : std::uint8_t { forward, reverse, bidirectional };

/// What comes first in the shapes of a recurrent layer: the steps, or the batch.
enum class SequenceLayout : std::uint8_t { steps_first, batch_first };

/// A function that recurrent layers may apply to a gate, in terms of the parameters alpha (a) and
/// beta (b).
///
///   affine            a x + b
///   elu               x < 0 ? a (exp(x) - 1) : x
///   hard_sigmoid      min(max(a x + b, 0), 1)
///   leaky_relu        x < 0 ? a x : x
///   scaled_tanh       a tanh(b x)
///   thresholded_relu  x > a ? x : 0
enum class GateFunctionKind : std::uint8_t {
  affine,
  elu,
  hard_sigmoid,
  leaky_relu,
  relu,
  scaled_tanh,
  sigmoid,
  softplus,
  softsign,
  tanh,
  thresholded_relu,
};

struct GateFunction {
  GateFunctionKind kind = GateFunctionKind::tanh;
  float alpha = 1;
  float beta = 0;
};

/// A function under its ONNX name, in upper or lower case, with its default parameters, and how
/// many of them it has.
struct NamedGateFunction {
  std::string_view name;
  GateFunction function;
  int parameters = 0;  ///< 1: alpha; 2: alpha and beta
};
/// Null for an unknown name.
const NamedGateFunction* find_gate_function(std::string_view onnx_name);

/// What ONNX LSTM, GRU and RNN have in common.
struct RecurrentLayer {
  SequenceDirection direction = SequenceDirection::forward;
  SequenceLayout layout = SequenceLayout::steps_first;
  std::vector<GateFunction> functions;  ///< those of the first direction, then those of the second
  std::optional<float> clip;  ///< bounds what the functions are applied to, on both sides of 0
  std::optional<std::int64_t> hidden_size;

  std::size_t directions() const { return direction == SequenceDirection::bidirectional ? 2 : 1; }
};

}  // namespace strata::hir
