#include "ops/arithmetic.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "strata/core/ops/cast.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/range.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/size_of.h"
#include "strata/core/rank.h"

namespace strata::hir {

OutletId reduce(Builder& b, Reduction op, OutletId x, OutletId axes) {
  return b.one(strata::Reduce{.op = op, .no_axes = NoAxes::means_none}, {x, axes});
}

OutletId zero_of(Builder& b, DatumType type) {
  return type == DatumType::string ? b.constant(Tensor::scalar(std::string())) : b.scalar(0, type);
}

OutletId cast_to(Builder& b, OutletId x, DatumType type) {
  return b.fact(x).dtype == type ? x : b.one(Cast{type}, {x});
}

DatumType computing_type(DatumType type) {
  return type == DatumType::f16 || type == DatumType::bf16 ? DatumType::f32 : type;
}

OutletId widened(Builder& b, OutletId x) { return cast_to(b, x, computing_type(b.fact(x).dtype)); }

OutletId optional_input(const OutletIds& in, std::size_t i) { return has(in, i) ? in[i] : kAbsent; }

OutletId scalar_of(Builder& b, OutletId x) {
  if (x.is_absent() || b.rank(x) == 0u) return x;
  return b.one(Reshape{}, {x, b.integers(Shape{})});
}

OutletId rank_of(Builder& b, OutletId x) {
  if (const auto rank = b.rank(x)) return b.scalar(static_cast<double>(*rank), DatumType::i64);
  return b.one(SizeOf{}, {b.one(ShapeOf{}, {x})});
}

OutletId axes_from(Builder& b, OutletId x, std::int64_t axis) {
  const auto rank = b.rank(x);
  if (rank) axis = static_cast<std::int64_t>(normalized_axis(axis, *rank));
  check(axis >= -kMostAxes, "axis ", axis, " of an input of unknown rank");
  if (rank || axis < 0) {
    const std::int64_t end = rank ? static_cast<std::int64_t>(*rank) : 0;
    Shape axes(static_cast<std::size_t>(end - axis));
    std::iota(axes.begin(), axes.end(), axis);
    return b.integers(axes);
  }
  return b.one(Range{}, {b.scalar(static_cast<double>(axis), DatumType::i64), rank_of(b, x),
                         b.scalar(1, DatumType::i64)});
}

OutletId ones(Builder& b, OutletId count) {
  return b.one(Expand{}, {b.integers({1}), b.one(Reshape{}, {count, b.integers({1})})});
}

std::int64_t settled_axis(const Builder& b, std::int64_t axis, OutletId x) {
  const auto rank = b.rank(x);
  return rank ? static_cast<std::int64_t>(normalized_axis(axis, *rank)) : axis;
}

void require_same_shape(Rules& r) {
  r.require(r.output(0, "output").shape == r.input(0, "input").shape);
}
void require_same_dtype(Rules& r) {
  r.require(r.output(0, "output").dtype == r.input(0, "input").dtype);
}

void require_multiple(Rules& r, const DimProxy& whole, std::int64_t factor, const DimProxy& part) {
  if (factor == 1) return r.require(whole == part);
  Equation product = whole == part;
  const std::string text = product.to_string();
  product.right = {};
  if (const auto known = part.known()) {
    product.dim = *known * factor;
  } else {
    const auto sum = whole.known();
    if (!sum || !sum->constant()) return;
    check(*sum->constant() % factor == 0, "size ", *sum, " is no multiple of ", factor, ", as ",
          text, " * ", factor, " asks");
    product = part == Dim(*sum->constant() / factor);
  }
  product.shown_as = cat(text, " * ", factor);
  r.require(product);
}

namespace {

/// The rank of `b`, where that of the product and of `a` leave one: a vector takes an axis away, a
/// matrix adds none, and of matrices the one of more axes gives the rank.
void matmul_rank(Rules& r, const PortProxy& a, const PortProxy& b) {
  const auto out = r.output(0, "Y").rank.known(), known = a.rank.known();
  if (!out || !known || b.rank.known()) return;
  if (*known == 1) return r.require(b.rank == *out + 1);
  if (*out == *known - 1) return r.require(b.rank == 1);
  if (*out > *known || (*out == 2 && *known == 2)) r.require(b.rank == *out);
}

}  // namespace

void matmul_rules(Rules& r, const PortProxy& a, const PortProxy& b) {
  const auto out = r.output(0, "Y");
  matmul_rank(r, a, b);
  matmul_rank(r, b, a);
  const auto rank_a = a.rank.known(), rank_b = b.rank.known();
  if (!rank_a || !rank_b || *rank_a < 1 || *rank_b < 1) return;
  r.require(a.shape[-1] == b.shape[*rank_b == 1 ? -1 : -2]);
  if (!out.rank.known()) return;
  if (*rank_a > 1) r.require(out.shape[*rank_b == 1 ? -1 : -2] == a.shape[-2]);
  if (*rank_b > 1) r.require(out.shape[-1] == b.shape[-1]);
  // Batch axes that one operand lacks are those of the other.
  const std::int64_t more = std::max<std::int64_t>(*rank_a, 2) - std::max<std::int64_t>(*rank_b, 2);
  for (std::int64_t i = 0; i < std::abs(more); ++i)
    r.require(out.shape[i] == (more > 0 ? a : b).shape[i]);
}

void gemm_rules(Rules& r, const PortProxy& a, const PortProxy& b, const strata::MatMul& product) {
  const auto out = r.output(0, "Y");
  r.require(a.rank == 2);
  r.require(b.rank == 2);
  r.require(out.rank == 2);
  r.require(a.shape[product.transpose_a ? 0 : 1] == b.shape[product.transpose_b ? 1 : 0]);
  r.require(out.shape[0] == a.shape[product.transpose_a ? 1 : 0]);
  r.require(out.shape[1] == b.shape[product.transpose_b ? 0 : 1]);
}

}  // namespace strata::hir
