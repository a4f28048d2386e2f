#include "strata/hir/ops/center_crop_pad.h"

#include "ops/arithmetic.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/pad.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/slice.h"

namespace strata::hir {

void CenterCropPad::rules(Rules& r) const {
  r.require(r.output(0, "output_data").dtype == r.input(0, "input_data").dtype);
  r.require(r.output(0, "output_data").rank == r.input(0, "input_data").rank);
}

OutletIds CenterCropPad::wire(Builder& b, const OutletIds& in) const {
  const OutletId zero = b.integers({0}), two = b.integers({2});
  OutletId sizes = b.one(ShapeOf{}, {in[0]});
  if (axes) sizes = b.one(Gather{}, {sizes, b.integers(*axes)});
  const OutletId wanted = b.one(strata::Cast{DatumType::i64}, {in[1]});

  // [start, start + min(size, wanted)) of each axis stays.
  const OutletId surplus = binary(b, BinaryOp::max, sub(b, sizes, wanted), zero);
  const OutletId start = div(b, surplus, two);
  const OutletId end = add(b, start, binary(b, BinaryOp::min, sizes, wanted));
  OutletIds cut{in[0], start, end};
  if (axes) cut.push_back(b.integers(*axes));
  const OutletId cropped = b.one(strata::Slice{}, cut);

  // Of an odd number of missing elements one more goes to the end.
  const OutletId missing = binary(b, BinaryOp::max, sub(b, wanted, sizes), zero);
  const OutletId before = div(b, missing, two), after = sub(b, missing, before);
  OutletIds padded{cropped, b.one(strata::Concat{0}, {before, after}),
                   zero_of(b, b.fact(in[0]).dtype)};
  if (axes) padded.push_back(b.integers(*axes));
  return b.wire(strata::Pad{}, padded);
}

}  // namespace strata::hir
