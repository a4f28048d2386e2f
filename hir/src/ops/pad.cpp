#include "strata/hir/ops/pad.h"

#include "ops/arithmetic.h"

namespace strata::hir {

void Pad::rules(Rules& r) const {
  r.require(r.output(0, "output").dtype == r.input(0, "data").dtype);
  r.require(r.output(0, "output").rank == r.input(0, "data").rank);
}

OutletIds Pad::wire(Builder& b, const OutletIds& in) const {
  const DatumType dtype = b.fact(in[0]).dtype;
  if (pads) return b.wire(strata::Pad{mode}, {in[0], b.integers(*pads), b.scalar(value, dtype)});
  OutletIds inputs = without_trailing_absent(in);
  if (inputs.size() > 2 && inputs[2].is_absent()) inputs[2] = zero_of(b, dtype);
  return b.wire(strata::Pad{mode}, inputs);
}

}  // namespace strata::hir
