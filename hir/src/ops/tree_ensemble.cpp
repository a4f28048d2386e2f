#include "strata/hir/ops/tree_ensemble.h"

#include "ops/arithmetic.h"
#include "ops/post_transform.h"

namespace strata::hir {

void TreeEnsemble::rules(Rules& r) const {
  require_same_dtype(r);
  r.require(r.input(0, "X").rank == 2);
  r.require(r.input(0, "X").dtype == trees.leaf_weights.dtype());
  r.require(r.output(0, "Y").rank == 2);
  require_rows(r);
}

OutletIds TreeEnsemble::wire(Builder& b, const OutletIds& in) const {
  return {transformed(b, b.one(trees, in), transform)};
}

}  // namespace strata::hir
