#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// The weights that turn a spectrum into one over bands spaced evenly in mels: triangles, each from
/// the centre of the previous band to that of the next.
///
///   inputs   bands, length, rate  integer scalars: mel bands, the length of the transform, samples
///                                 per second
///            low, high            float scalars: the edges of the bands in hertz
///   output   T[length / 2 + 1, bands]
///   source   ONNX MelWeightMatrix-17
///
///   (C1) five inputs
///   (C2) three integers, two floats, one of each
///   (C3) sizes of at least 1, edges in order and below rate / 2
struct MelWeightMatrix {
  static constexpr std::string_view name = "MelWeightMatrix";
  DatumType to = DatumType::f32;

  static constexpr auto attributes() { return std::tuple{attr("to", &MelWeightMatrix::to)}; }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<MelWeightMatrix>);

}  // namespace strata
