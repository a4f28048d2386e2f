#pragma once

#include "strata/core/ops/dft.h"
#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX DFT: inputs x, length and axis, both of which may be absent.
struct Dft {
  static constexpr std::string_view name = "DFT";
  strata::Dft op;
  std::int64_t axis = -2;  ///< when it is not an input

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Dft>);

/// ONNX STFT: inputs signal, step, window and length; a Dft of each frame under the window. As
/// several exporters write it, a real signal may be [batch, length] without the last axis.
struct Stft {
  static constexpr std::string_view name = "STFT";
  bool one_sided = true;

  static constexpr auto attributes() { return std::tuple{attr("one_sided", &Stft::one_sided)}; }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Stft>);

}  // namespace strata::hir
