#pragma once

#include <string>

#include "strata/core/patch.h"

namespace strata {

/// Sums products of elements over labelled axes: `ij,jk->ik`.
///
///   inputs   n >= 1 tensors of one type, one for each term of the equation
///   output   T[axes of the output term]
///   source   ONNX Einsum-12; numpy einsum
///
/// Labels are letters. `...` stands for leading axes, which broadcast, aligned at the last. A label
/// used twice in a term walks the diagonal. Without `->` the output has the ellipsis axes and then
/// the labels that occur once, sorted. Spaces have no meaning. Integers wrap; floats below 32 bits
/// are summed in f32.
///
///   (C1) as many terms as inputs             (C2) one numeric element type
///   (C3) a well-formed equation              (C4) as many labels as axes
///   (C5) one size a label (1 broadcasts)     (C6) output labels occur once, and in some input
struct Einsum {
  static constexpr std::string_view name = "Einsum";
  std::string equation;

  static constexpr auto attributes() { return std::tuple{attr("equation", &Einsum::equation)}; }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Cost cost(Facts in, Facts out) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<Einsum>);

/// The parts of an equation; kEllipsis stands for `...`.
struct EinsumTerms {
  static constexpr int kEllipsis = 0;
  std::vector<std::vector<int>> inputs;
  std::vector<int> output;
};

/// Throws: invalid_model, tagged (C3) or (C6).
EinsumTerms parse_einsum(std::string_view equation);

}  // namespace strata
