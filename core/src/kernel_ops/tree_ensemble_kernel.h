#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/tree_ensemble.h"

namespace strata {

/// TreeEnsemble of f32 or f64: x[N, F], then nodes, features, leaf weights and leaf targets as
/// `packed_trees.h` lays them out -> [N, targets].
struct TreeEnsembleKernel {
  static constexpr std::string_view name = "TreeEnsembleKernel";
  std::int64_t roots = 0;
  std::int64_t targets = 1;
  TreeAggregate aggregate = TreeAggregate::sum;
  bool rounds_up = true;  ///< what of x lies between two floats counts as the greater one

  static constexpr auto attributes() {
    return std::tuple{attr("roots", &TreeEnsembleKernel::roots),
                      attr("targets", &TreeEnsembleKernel::targets),
                      attr("aggregate", &TreeEnsembleKernel::aggregate),
                      attr("rounds_up", &TreeEnsembleKernel::rounds_up)};
  }
  FactList output_facts(Facts in) const;
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<TreeEnsembleKernel>);

}  // namespace strata
