#include "strata/hir/ops/tile_axis.h"

#include "strata/core/ops/cast.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/scatter_elements.h"
#include "strata/core/ops/tile.h"

namespace strata::hir {

OutletIds TileAxis::wire(Builder& b, const OutletIds& in) const {
  const auto rank = b.rank(in[0]);
  require(rank.has_value(), ErrorKind::unsupported, "Tile-1 needs the rank of its input");
  const auto integer = [&](OutletId number) {
    return b.one(Reshape{}, {b.one(strata::Cast{DatumType::i64}, {number}), b.integers({1})});
  };
  const OutletId repeats =
      b.one(ScatterElements{}, {b.integers(Shape(*rank, 1)), integer(in[2]), integer(in[1])});
  return b.wire(Tile{}, {in[0], repeats});
}

}  // namespace strata::hir
