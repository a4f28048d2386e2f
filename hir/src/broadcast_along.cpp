#include "broadcast_along.h"

#include "strata/core/ops/binary.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::hir {

OutletId per_row(Builder& b, OutletId rows, OutletId matrix) {
  if (rows.is_absent() || b.rank(rows) != 1u || b.rank(matrix) == 1u) return rows;
  return b.one(Unsqueeze{}, {rows, b.integers({-1})});
}

OutletId along_leading_axis(Builder& b, OutletId vector, OutletId like, std::int64_t leading) {
  if (vector.is_absent() || b.rank(vector) == 0u) return vector;
  if (const auto rank = b.rank(like)) {
    Shape target(*rank + 1 - static_cast<std::size_t>(leading), 1);
    target[0] = -1;
    return b.one(Reshape{}, {vector, b.integers(target)});
  }
  const OutletId rank = b.one(ShapeOf{}, {b.one(ShapeOf{}, {like})});
  const OutletId count = b.one(Binary{BinaryOp::sub}, {rank, b.integers({leading})});
  const OutletId ones = b.one(Expand{}, {b.integers({1}), count});
  return b.one(Reshape{}, {vector, b.one(Concat{0}, {b.integers({-1}), ones})});
}

}  // namespace strata::hir
