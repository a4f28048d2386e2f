#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// Which elements of a head RotaryEmbedding turns together: element i of the first half with that
/// of the second, or elements 2i and 2i + 1.
enum class RotaryPairs { halves, neighbours };
constexpr auto enumerators(RotaryPairs) {
  return std::to_array<std::pair<RotaryPairs, std::string_view>>(
      {{RotaryPairs::halves, "halves"}, {RotaryPairs::neighbours, "neighbours"}});
}

/// ONNX RotaryEmbedding: turns pairs of elements of each head by an angle that depends on the
/// position.
///
/// Inputs x, of [batch, heads, steps, size] or [batch, steps, heads * size], the cosines and the
/// sines, of [batch, steps, pairs], or of [positions, pairs] when input 3 gives the position of
/// each step.
struct RotaryEmbedding {
  static constexpr std::string_view name = "RotaryEmbedding";
  std::optional<std::int64_t> heads;  ///< of x with three axes
  std::int64_t turned = 0;            ///< elements of each head that turn, the first ones; 0: all
  RotaryPairs pairs = RotaryPairs::halves;

  static constexpr auto attributes() {
    return std::tuple{attr("heads", &RotaryEmbedding::heads),
                      attr("turned", &RotaryEmbedding::turned),
                      attr("pairs", &RotaryEmbedding::pairs)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<RotaryEmbedding>);

}  // namespace strata::hir
