#pragma once

#include "strata/core/patch.h"

namespace strata {

/// In training, zeroes a share of the elements and scales up the others; otherwise passes all on.
///
///   inputs   x         T[..], a float type
///            ratio     F, one float in [0, 1): the share
///            training  bool, one element
///   outputs  y         T[..]      x * mask / (1 - ratio)
///            mask      bool[..]   false where an element was zeroed
///   source   ONNX Dropout-22
///
///   (C1) three inputs                (C2) float x and ratio, bool training
///   (C3) one ratio, one training     (C4) 0 <= ratio < 1
///
/// The same seed gives the same mask in every run.
struct Dropout {
  static constexpr std::string_view name = "Dropout";
  std::int64_t seed = 0;

  static constexpr auto attributes() { return std::tuple{attr("seed", &Dropout::seed)}; }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<Dropout>);

}  // namespace strata
