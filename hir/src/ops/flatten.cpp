#include "strata/hir/ops/flatten.h"

#include "strata/core/ops/concat.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"

namespace strata::hir {
namespace {

/// The product of the dims from `begin` on, when they are positive integers: that of symbolic ones
/// may be more than an expression can hold.
std::optional<std::int64_t> trailing_size(const ShapeFact& shape, std::size_t begin) {
  Dim product = 1;
  for (std::size_t i = begin; i < shape.rank(); ++i) {
    if (!shape[i].is_constant() || shape[i] == Dim(0)) return std::nullopt;
    product *= shape[i];
  }
  return product.constant();
}

}  // namespace

void Flatten::rules(Rules& r) const {
  r.require(r.output(0, "output").dtype == r.input(0, "input").dtype);
  r.require(r.output(0, "output").rank == 2);
}

OutletIds Flatten::wire(Builder& b, const OutletIds& in) const {
  const ShapeFact shape = b.fact(in[0]).shape;
  std::int64_t at = axis;
  if (shape.is_known()) {
    const auto rank = static_cast<std::int64_t>(shape.rank());
    check(axis >= -rank && axis <= rank, "axis ", axis, " is outside rank ", rank);
    if (at < 0) at += rank;
    if (const auto columns = trailing_size(shape, static_cast<std::size_t>(at)))
      return b.wire(Reshape{}, {in[0], b.integers({-1, *columns})});
  }
  const auto size_of = [&](const ShapeOf& part) {
    return b.one(strata::Reduce{.op = Reduction::prod}, {b.one(part, {in[0]})});
  };
  const OutletId rows = size_of({0, at}), columns = size_of({at, std::nullopt});
  return b.wire(Reshape{ReshapeZero::keep}, {in[0], b.one(strata::Concat{0}, {rows, columns})});
}

}  // namespace strata::hir
