#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// The discrete Fourier transform along one axis.
///
///   inputs   x       float[.., n, .., c]: c = 1 for real numbers, 2 for complex ones
///            axis    an integer scalar; negative counts from the end
///            length  an integer scalar: x is cut or padded with zeros to it (may be missing: n, or
///                    2 (n - 1) for a one-sided inverse)
///   output   float[.., length, .., 2]
///            one-sided: float[.., length / 2 + 1, .., 2], the first half of a symmetric spectrum
///            one-sided inverse: float[.., length, .., 1], from the first half of a symmetric
///            spectrum
///   source   ONNX DFT-20
///
/// Computed in double. The inverse divides by the length.
///
///   (C1) two or three inputs, axis and length of one element
///   (C2) floats, the last axis of size 1 or 2
///   (C3) an axis before the last         (C4) a length of at least 1
struct Dft {
  static constexpr std::string_view name = "Dft";
  bool inverse = false;
  bool one_sided = false;

  static constexpr auto attributes() {
    return std::tuple{attr("inverse", &Dft::inverse), attr("one_sided", &Dft::one_sided)};
  }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Dft>);

}  // namespace strata
