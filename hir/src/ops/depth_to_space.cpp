#include "strata/hir/ops/depth_to_space.h"

#include <limits>

#include "strata/core/builder_arithmetic.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/transpose.h"

namespace strata::hir {
namespace {

/// Arithmetic on the sizes of an image batch, each a vector of one integer.
class Sizes {
 public:
  Sizes(Builder& b, OutletId image) : b_(b) {
    const auto rank = b.rank(image);
    check(!rank || *rank == 4, "an image batch has rank 4, shape ", b.fact(image).shape, " given");
    sizes_ = b.wire(strata::Split{0, 4}, {b.one(ShapeOf{}, {image}), b.integers({1, 1, 1, 1})});
  }

  OutletId operator[](std::size_t axis) const { return sizes_[axis]; }
  OutletId number(std::int64_t value) { return b_.integers({value}); }
  OutletId times(OutletId size, std::int64_t factor) { return mul(b_, size, number(factor)); }
  OutletId over(OutletId size, std::int64_t divisor) { return div(b_, size, number(divisor)); }
  OutletId reshape(OutletId data, const OutletIds& sizes) {
    return b_.one(Reshape{ReshapeZero::keep}, {data, b_.one(strata::Concat{0}, sizes)});
  }

 private:
  Builder& b_;
  OutletIds sizes_;
};

/// Of which two make an area that is a number.
void check_block(std::int64_t block) {
  check(block > 0 && block <= std::numeric_limits<std::int32_t>::max(), "the block size is ",
        block);
}

void image_rules(Rules& r) {
  const auto in = r.input(0, "input"), out = r.output(0, "output");
  r.require(in.rank == 4);
  r.require(out.rank == 4);
  r.require(out.dtype == in.dtype);
  r.require(out.shape[0] == in.shape[0]);
}

}  // namespace

void DepthToSpace::rules(Rules& r) const { image_rules(r); }
void SpaceToDepth::rules(Rules& r) const { image_rules(r); }

OutletIds DepthToSpace::wire(Builder& b, const OutletIds& in) const {
  check_block(block);
  Sizes s(b, in[0]);
  const OutletId side = s.number(block), depth = s.over(s[1], block * block);
  const bool block_first = order == DepthOrder::block_first;
  const OutletId parts = block_first ? s.reshape(in[0], {s[0], side, side, depth, s[2], s[3]})
                                     : s.reshape(in[0], {s[0], depth, side, side, s[2], s[3]});
  const Transpose move{block_first ? std::vector<std::int64_t>{0, 3, 4, 1, 5, 2}
                                   : std::vector<std::int64_t>{0, 1, 4, 2, 5, 3}};
  return {
      s.reshape(b.one(move, {parts}), {s[0], depth, s.times(s[2], block), s.times(s[3], block)})};
}

OutletIds SpaceToDepth::wire(Builder& b, const OutletIds& in) const {
  check_block(block);
  Sizes s(b, in[0]);
  const OutletId side = s.number(block), height = s.over(s[2], block), width = s.over(s[3], block);
  const OutletId parts = s.reshape(in[0], {s[0], s[1], height, side, width, side});
  const bool block_first = order == DepthOrder::block_first;
  const Transpose move{block_first ? std::vector<std::int64_t>{0, 3, 5, 1, 2, 4}
                                   : std::vector<std::int64_t>{0, 1, 3, 5, 2, 4}};
  return {s.reshape(b.one(move, {parts}), {s[0], s.times(s[1], block * block), height, width})};
}

}  // namespace strata::hir
