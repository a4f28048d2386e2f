#pragma once

#include <array>

#include "strata/core/typed_op.h"

namespace strata {

enum class SoftmaxKind : std::uint8_t { softmax, log_softmax, hardmax };

constexpr auto enumerators(SoftmaxKind) {
  using enum SoftmaxKind;
  return std::to_array<std::pair<SoftmaxKind, std::string_view>>(
      {{softmax, "softmax"}, {log_softmax, "log_softmax"}, {hardmax, "hardmax"}});
}

/// Normalises the elements along some axes together: softmax exp(x) / sum(exp(x)), log_softmax its
/// logarithm, hardmax 1 for the first of the greatest elements and 0 for the others.
///
///   input    x   T[..]      output   T[..]
///   source   ONNX Softmax-13, LogSoftmax-13, Hardmax-13; NNEF softmax
///
///   (C1) one input      (C2) a float type      (C3) each axis within the rank, none twice
struct Softmax {
  static constexpr std::string_view name = "Softmax";
  SoftmaxKind op = SoftmaxKind::softmax;
  Shape axes{-1};  ///< negative ones count from the end

  static constexpr auto attributes() {
    return std::tuple{attr("op", &Softmax::op), attr("axes", &Softmax::axes)};
  }

  std::string display_name() const;
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Softmax>);

}  // namespace strata
