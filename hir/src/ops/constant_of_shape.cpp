#include "strata/hir/ops/constant_of_shape.h"

#include "strata/core/ops/expand.h"

namespace strata::hir {

void ConstantOfShape::rules(Rules& r) const {
  const auto sizes = r.input(0, "input"), out = r.output(0, "output");
  r.require(sizes.dtype == DatumType::i64);
  r.require(sizes.rank == 1);
  r.require(out.dtype == value.dtype());
  const auto count = sizes.shape[0].known();
  if (count && count->constant()) r.require(out.rank == *count->constant());
  if (const auto rank = out.rank.known()) r.require(sizes.shape[0] == Dim(*rank));
}

OutletIds ConstantOfShape::wire(Builder& b, const OutletIds& in) const {
  check(value.size() == 1, "the value of ConstantOfShape has ", value.size(), " elements");
  return b.wire(Expand{}, {b.constant(value.reshaped({})), in[0]});
}

}  // namespace strata::hir
