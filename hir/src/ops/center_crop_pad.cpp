#include "strata/hir/ops/center_crop_pad.h"

#include "arithmetic.h"
#include "strata/core/ops/binary.h"
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
  const auto of = [&](BinaryOp op, OutletId left, OutletId right) {
    return b.one(strata::Binary{op}, {left, right});
  };
  const OutletId zero = b.integers({0}), two = b.integers({2});
  OutletId sizes = b.one(ShapeOf{}, {in[0]});
  if (axes) sizes = b.one(Gather{}, {sizes, b.integers(*axes)});
  const OutletId wanted = b.one(strata::Cast{DatumType::i64}, {in[1]});

  // [start, start + min(size, wanted)) of each axis stays.
  const OutletId surplus = of(BinaryOp::max, of(BinaryOp::sub, sizes, wanted), zero);
  const OutletId start = of(BinaryOp::div, surplus, two);
  const OutletId end = of(BinaryOp::add, start, of(BinaryOp::min, sizes, wanted));
  OutletIds cut{in[0], start, end};
  if (axes) cut.push_back(b.integers(*axes));
  const OutletId cropped = b.one(strata::Slice{}, cut);

  // Of an odd number of missing elements one more goes to the end.
  const OutletId missing = of(BinaryOp::max, of(BinaryOp::sub, wanted, sizes), zero);
  const OutletId before = of(BinaryOp::div, missing, two),
                 after = of(BinaryOp::sub, missing, before);
  OutletIds padded{cropped, b.one(strata::Concat{0}, {before, after}),
                   zero_of(b, b.fact(in[0]).dtype)};
  if (axes) padded.push_back(b.integers(*axes));
  return b.wire(strata::Pad{}, padded);
}

}  // namespace strata::hir
