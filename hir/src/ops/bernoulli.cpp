#include "strata/hir/ops/bernoulli.h"

#include "ops/arithmetic.h"
#include "strata/core/ops/random.h"
#include "strata/core/ops/shape_of.h"

namespace strata::hir {

void Bernoulli::rules(Rules& r) const {
  const auto in = r.input(0, "input"), out = r.output(0, "output");
  r.require(out.shape == in.shape);
  if (dtype)
    r.require(out.dtype == *dtype);
  else
    r.require(out.dtype == in.dtype);
}

/// x -> Random() < x
OutletIds Bernoulli::wire(Builder& b, const OutletIds& in) const {
  // In f64, where a draw in [0, 1) cannot round up to 1.
  strata::Random draws;
  draws.dtype = DatumType::f64;
  draws.seed = seed;
  const OutletId drawn = b.one(draws, {b.one(ShapeOf{}, {in[0]})});
  const OutletId is_one = binary(b, BinaryOp::less, drawn, cast_to(b, in[0], DatumType::f64));
  return {cast_to(b, is_one, dtype.value_or(b.fact(in[0]).dtype))};
}

}  // namespace strata::hir
