#include "ops/padding_mask.h"

#include "ops/arithmetic.h"
#include "ops/heads.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::hir {
namespace {

/// Of each batch element the keys before its end are shown, and none before its beginning, where the
/// mask goes on with those.
OutletId shown_by_ends(Builder& b, OutletId mask, OutletId batch, OutletId keys) {
  const OutletId size = size_of_axis(b, batch, 0);
  const OutletId twice = binary(b, BinaryOp::mul, size, 2.0);
  const OutletId key = positions(b, keys);
  const auto column = [&](OutletId start, OutletId end) {
    const OutletId some = b.one(Slice{}, {mask, start, end});
    return cast_to(b, split_into(b, some, {-1, 1, 1, 1}), DatumType::i64);
  };
  const OutletId shown = binary(b, BinaryOp::less, key, column(b.integers({0}), size));
  const ShapeFact &of_mask = b.fact(mask).shape, &of_batch = b.fact(batch).shape;
  require(of_batch.is_known(), ErrorKind::unsupported, "the batch of a mask of shape ", of_mask,
          " is not known");
  const Dim count = of_mask[0], batches = of_batch[0];
  if (count == batches || count == batches * 3 + 2) return shown;
  require(count == batches * 2, ErrorKind::unsupported, "what a mask of shape ", of_mask,
          " means for a batch of ", batches, " is not known");
  return binary(b, BinaryOp::truth_and, shown,
                binary(b, BinaryOp::greater_or_equal, key, column(size, twice)));
}

}  // namespace

OutletId mask_bias(Builder& b, OutletId mask, OutletId batch, OutletId keys, double hidden,
                   DatumType type) {
  const std::size_t rank = required_rank(b, mask, "the mask");
  require(rank >= 1 && rank <= 3, ErrorKind::unsupported, "a mask of shape ", b.fact(mask).shape,
          " is not supported: it has none of 1, 2 and 3 axes");
  // One number for all keys of a batch element changes no softmax.
  if (rank == 2 && b.fact(mask).shape[1] == Dim(1)) return kAbsent;
  const Shape new_axes = rank == 2 ? Shape{1, 2} : Shape{1};
  const OutletId shown = rank == 1 ? shown_by_ends(b, mask, batch, keys)
                                   : binary(b, BinaryOp::greater,
                                            b.one(Unsqueeze{}, {mask, b.integers(new_axes)}), 0.0);
  return b.one(Select{}, {shown, b.scalar(0, type), b.scalar(hidden, type)});
}

}  // namespace strata::hir
