#include "strata/hir/ops/preprocessing.h"

#include <cmath>

#include "ops/arithmetic.h"
#include "ops/post_transform.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/label_encoder.h"
#include "strata/core/ops/one_hot.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/slice.h"

namespace strata::hir {
namespace {

void require_f32_output(Rules& r) { r.require(r.output(0, "Y").dtype == DatumType::f32); }

bool is_nan(const Tensor& scalar) {
  return is_float(scalar.dtype()) && std::isnan(cast(scalar, DatumType::f64).as<double>()[0]);
}

/// The first `columns` columns of x with as many zeros behind it.
OutletId with_columns(Builder& b, OutletId x, std::int64_t columns) {
  const ShapeFact& shape = b.fact(x).shape;
  if (shape.is_known() && shape.rank() == 2 && shape[1] == Dim(columns)) return x;
  const OutletId rows = b.one(Gather{0}, {b.one(ShapeOf{}, {x}), b.integers({0})});
  const OutletId size = b.one(strata::Concat{0}, {rows, b.integers({columns})});
  const OutletId zeros = b.one(Expand{}, {b.scalar(0, DatumType::f32), size});
  const OutletId filled = b.one(strata::Concat{1}, {x, zeros});
  return b.one(strata::Slice{},
               {filled, b.integers({0}), b.integers({columns}), b.integers({1}), b.integers({1})});
}

}  // namespace

void Scaler::rules(Rules& r) const {
  require_f32_output(r);
  require_same_shape(r);
}

OutletIds Scaler::wire(Builder& b, const OutletIds& in) const {
  const DatumType type = score_type(b, in[0]);
  const OutletId x = cast_to(b, in[0], type);
  const OutletId moved = sub(b, x, b.constant(cast(offset, type)));
  const OutletId scaled = mul(b, moved, b.constant(cast(scale, type)));
  return {cast_to(b, scaled, DatumType::f32)};
}

void Imputer::rules(Rules& r) const {
  require_same_dtype(r);
  require_same_shape(r);
}

OutletIds Imputer::wire(Builder& b, const OutletIds& in) const {
  const DatumType type = b.fact(in[0]).dtype;
  check(is_float(type) == is_float(imputed.dtype()), "the imputed values are ", imputed.dtype(),
        ", the input ", type);
  const OutletId is_replaced =
      is_nan(replaced) ? unary(b, UnaryOp::is_nan, in[0])
                       : binary(b, BinaryOp::equal, in[0], b.constant(cast(replaced, type)));
  return {b.one(Select{}, {is_replaced, b.constant(cast(imputed, type)), in[0]})};
}

void Normalizer::rules(Rules& r) const {
  require_f32_output(r);
  require_same_shape(r);
}

OutletIds Normalizer::wire(Builder& b, const OutletIds& in) const {
  constexpr Reduction kReductions[] = {Reduction::max, Reduction::l1, Reduction::l2};
  const OutletId x = cast_to(b, in[0], score_type(b, in[0]));
  const OutletId divisor =
      reduce(b, kReductions[static_cast<std::size_t>(norm)], x, b.integers({-1}));
  const OutletId one = b.scalar(1, b.fact(x).dtype);
  const OutletId is_zero = binary(b, BinaryOp::equal, divisor, 0);
  const OutletId safe = b.one(Select{}, {is_zero, one, divisor});
  return {cast_to(b, div(b, x, safe), DatumType::f32)};
}

void OneHotEncoder::rules(Rules& r) const {
  require_f32_output(r);
  const auto x = r.input(0, "X"), y = r.output(0, "Y");
  r.require(y.rank == x.rank + 1);
  r.require(y.shape[-1] == Dim(categories.size()));
  const std::int64_t rank = x.rank.known().value_or(0);
  for (std::int64_t i = 0; i < rank; ++i) r.require(y.shape[i] == x.shape[i]);
  if (categories.dtype() == DatumType::string) r.require(x.dtype == DatumType::string);
}

OutletIds OneHotEncoder::wire(Builder& b, const OutletIds& in) const {
  const bool is_text = b.fact(in[0]).dtype == DatumType::string;
  check(is_text == (categories.dtype() == DatumType::string), "categories are ", categories.dtype(),
        ", the input ", b.fact(in[0]).dtype);
  const std::int64_t count = categories.size();
  Shape places;
  for (std::int64_t i = 0; i < count; ++i) places.push_back(i);
  const OutletId x = is_text ? in[0] : cast_to(b, in[0], DatumType::i64);
  const LabelEncoder place_of{categories,
                              Tensor::vector<std::int64_t>(std::span<const std::int64_t>(places)),
                              Tensor::scalar<std::int64_t>(count)};
  OutletId place = b.one(place_of, {x});
  if (unknown == UnknownCategory::fails)
    place = b.one(Gather{0}, {b.integers(places), place});  // which has no element for it
  const OutletId off_and_on = b.constant(Tensor::of<float>({2}, {0, 1}));
  return {
      b.one(OneHot{}, {place, b.scalar(static_cast<double>(count), DatumType::i64), off_and_on})};
}

void FeatureVectorizer::rules(Rules& r) const {
  require_f32_output(r);
  std::int64_t sum = 0;
  for (const std::int64_t each : columns) sum += each;
  r.require(r.output(0, "Y").rank == 2);
  r.require(r.output(0, "Y").shape[1] == Dim(sum));
  for (std::size_t i = 0; i < r.input_count(); ++i)
    if (const auto x = r.input(i, "X"); x.rank.known() == 2)
      r.require(r.output(0, "Y").shape[0] == x.shape[0]);
}

OutletIds FeatureVectorizer::wire(Builder& b, const OutletIds& in) const {
  OutletIds parts;
  for (std::size_t i = 0; i < in.size(); ++i)
    parts.push_back(with_columns(b, rows_of(b, in[i], DatumType::f32), columns[i]));
  return {b.one(strata::Concat{1}, parts)};
}

}  // namespace strata::hir
