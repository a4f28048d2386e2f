#include "strata/hir/ops/resize.h"

namespace strata::hir {

void Resize::rules(Rules& r) const {
  const auto x = r.input(0, "X"), y = r.output(0, "Y");
  r.require(x.dtype == y.dtype);
  r.require(x.rank == y.rank);
}

OutletIds Resize::wire(Builder& b, const OutletIds& in) const {
  const auto target = [&]() -> OutletId {
    if (scales) return b.constant(Tensor::vector<float>(*scales));
    if (has(in, 3)) return in[3];
    check(has(in, 2), "Resize has neither scales nor sizes");
    return in[2];
  };
  OutletIds operands{in[0], target()};
  if (op.coordinates == ResizeCoordinates::tf_crop_and_resize && has(in, 1))
    operands.push_back(in[1]);
  return b.wire(op, operands);
}

}  // namespace strata::hir
