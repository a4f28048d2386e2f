#include "strata/hir/ops/elementwise.h"

#include <limits>

#include "ops/arithmetic.h"

namespace strata::hir {

void Elementwise::rules(Rules& r) const {
  require_same_shape(r);
  if (typing == Typing::same) require_same_dtype(r);
}

OutletIds Elementwise::wire(Builder& b, const OutletIds& in) const { return b.wire(op, {in[0]}); }

void Identity::rules(Rules& r) const {
  const auto in = r.input(0, "input"), out = r.output(0, "output");
  r.require(type_equal(out, in));
  if (in.fact->kind == ValueType::Kind::tensor) r.require(out.shape == in.shape);
}

void IsInf::rules(Rules& r) const { require_same_shape(r); }

OutletIds IsInf::wire(Builder& b, const OutletIds& in) const {
  if (positive && negative) return {unary(b, UnaryOp::is_inf, in[0])};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // Nothing is greater than infinity: neither sign is asked for.
  if (!positive && !negative) return {binary(b, BinaryOp::greater, in[0], kInfinity)};
  return {binary(b, BinaryOp::equal, in[0], positive ? kInfinity : -kInfinity)};
}

void Clip::rules(Rules& r) const {
  require_same_shape(r);
  require_same_dtype(r);
}

OutletIds Clip::wire(Builder& b, const OutletIds& in) const {
  OutletId out = in[0];
  if (least)
    out = binary(b, BinaryOp::max, out, *least);
  else if (has(in, 1))
    out = binary(b, BinaryOp::max, out, in[1]);
  if (greatest)
    out = binary(b, BinaryOp::min, out, *greatest);
  else if (has(in, 2))
    out = binary(b, BinaryOp::min, out, in[2]);
  return {out};
}

}  // namespace strata::hir
