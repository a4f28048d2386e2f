#include "strata/hir/ops/slice.h"

#include "strata/core/ops/range.h"
#include "strata/core/ops/size_of.h"
#include "strata/core/ops/slice.h"

namespace strata::hir {

void Slice::rules(Rules& r) const {
  r.require(r.output(0, "output").dtype == r.input(0, "data").dtype);
  r.require(r.output(0, "output").rank == r.input(0, "data").rank);
}

OutletIds Slice::wire(Builder& b, const OutletIds& in) const {
  OutletIds inputs = without_trailing_absent(in);
  if (inputs.size() > 3 && inputs[3].is_absent()) {
    // The axes that are meant when none are named: one for each start.
    const OutletId count = b.one(SizeOf{}, {in[1]});
    inputs[3] = b.one(Range{}, {b.scalar(0, DatumType::i64), count, b.scalar(1, DatumType::i64)});
  }
  return b.wire(strata::Slice{}, inputs);
}

}  // namespace strata::hir
