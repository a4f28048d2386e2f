#include "ops/padding_mask.h"

#include "ops/arithmetic.h"
#include "ops/heads.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::hir {
namespace {

/// Of each batch element the keys before its end are shown, and none before its beginning, where
/// the mask goes on with those. The beginnings are 0 where the mask ends before them.
OutletId shown_by_ends(Builder& b, OutletId mask, OutletId batch, OutletId keys, EndsMask kind) {
  const OutletId size = size_of_axis(b, batch, 0), key = positions(b, keys);
  const auto column = [&](OutletId numbers, OutletId start, OutletId end) {
    const OutletId some = b.one(Slice{}, {numbers, start, end});
    return cast_to(b, split_into(b, some, {-1, 1, 1, 1}), DatumType::i64);
  };
  const OutletId shown = binary(b, BinaryOp::less, key, column(mask, b.integers({0}), size));
  const ShapeFact &of_mask = b.fact(mask).shape, &of_batch = b.fact(batch).shape;
  const bool has_ends_only = of_batch.is_known() && of_mask[0] == of_batch[0];
  if (kind == EndsMask::ends || has_ends_only) return shown;
  const OutletId zeros = b.one(Expand{}, {b.scalar(0, b.fact(mask).dtype), size});
  const OutletId begins = column(b.one(strata::Concat{0}, {mask, zeros}), size, mul(b, size, 2.0));
  return binary(b, BinaryOp::truth_and, shown, binary(b, BinaryOp::greater_or_equal, key, begins));
}

}  // namespace

OutletId mask_bias(Builder& b, OutletId mask, OutletId batch, OutletId keys, double hidden,
                   EndsMask kind) {
  const std::size_t rank = required_rank(b, mask, "the mask");
  require(rank >= 1 && rank <= 3, ErrorKind::unsupported, "a mask of shape ", b.fact(mask).shape,
          " is not supported: it has none of 1, 2 and 3 axes");
  // One number for all keys of a batch element changes no softmax.
  if (rank == 2 && b.fact(mask).shape[1] == Dim(1)) return kAbsent;
  const Shape new_axes = rank == 2 ? Shape{1, 2} : Shape{1};
  const OutletId shown = rank == 1 ? shown_by_ends(b, mask, batch, keys, kind)
                                   : binary(b, BinaryOp::greater,
                                            b.one(Unsqueeze{}, {mask, b.integers(new_axes)}), 0.0);
  const DatumType type = b.fact(batch).dtype;
  return b.one(Select{}, {shown, b.scalar(0, type), b.scalar(hidden, type)});
}

}  // namespace strata::hir
