#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Divides each element by a power of the squares near it on the channel axis: y = x / (bias +
/// alpha / size * sum of squares)^beta over channels c - floor((size-1)/2) … c + ceil((size-1)/2).
///
///   input    x   T[N, C, ..]      output   T[N, C, ..]
///   source   ONNX LRN-13; NNEF local_response_normalization
///
///   (C1) one input      (C2) a float type      (C3) rank >= 2      (C4) size >= 1
struct Lrn {
  static constexpr std::string_view name = "Lrn";
  float alpha = 1e-4F;
  float beta = 0.75F;
  float bias = 1;
  std::int64_t size = 1;  ///< channels summed over

  static constexpr auto attributes() {
    return std::tuple{attr("alpha", &Lrn::alpha), attr("beta", &Lrn::beta),
                      attr("bias", &Lrn::bias), attr("size", &Lrn::size)};
  }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Lrn>);

}  // namespace strata
