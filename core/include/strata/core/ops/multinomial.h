#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Class numbers drawn at random, with replacement.
///
///   input    logits           floats[batch, classes]: logarithms of the probabilities, up to a
///                             constant
///   output   dtype[batch, samples]
///   source   ONNX Multinomial-7; tract_core_multinomial
///
///   (C1) logits are a matrix of floats     (C2) samples >= 1     (C3) dtype is i32 or i64
struct Multinomial {
  static constexpr std::string_view name = "Multinomial";
  std::int64_t samples = 1;
  DatumType dtype = DatumType::i32;
  std::optional<double> seed;  ///< absent: differs from session to session

  static constexpr auto attributes() {
    return std::tuple{attr("samples", &Multinomial::samples), attr("dtype", &Multinomial::dtype),
                      attr("seed", &Multinomial::seed)};
  }
  FactList output_facts(Facts in) const;
  std::unique_ptr<OpState> state(StateContext& context) const;
};
static_assert(OpDef<Multinomial>);

}  // namespace strata
