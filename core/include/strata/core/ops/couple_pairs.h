#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Probabilities of classes from those of each pair of them.
///
///   input    pairs   T[N, classes * (classes - 1) / 2]: for i < j, in the order (0,1), (0,2), ..,
///                    (1,2), .., the probability of i given that it is i or j
///   output   T[N, classes]
///   source   Wu, Lin and Weng, Probability Estimates for Multi-class Classification by Pairwise
///            Coupling, algorithm 2; ONNX ai.onnx.ml SVMClassifier-1
///
/// With r_ij the pair's probability, p minimises the sum of (r_ji p_i - r_ij p_j)^2 under
/// sum(p) = 1. Sweeps over the classes go on until each is within 0.005 / classes of the optimum,
/// max(100, classes) at most.
///
///   (C1) one input of floats     (C2) rank 2, one column a pair     (C3) at least two classes
struct CouplePairs {
  static constexpr std::string_view name = "CouplePairs";
  std::int64_t classes = 2;

  static constexpr auto attributes() { return std::tuple{attr("classes", &CouplePairs::classes)}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<CouplePairs>);

}  // namespace strata
