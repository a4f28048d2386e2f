#include "strata/hir/ops/map.h"

#include "ops/arithmetic.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/label_encoder.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/scatter_elements.h"
#include "strata/core/ops/size_of.h"
#include "strata/core/ops/top_k.h"

namespace strata::hir {
namespace {

/// `values` at `places` of a vector of this length, with 0 or no text between them.
OutletId scattered(Builder& b, OutletId values, OutletId places, std::int64_t length) {
  const DatumType type = b.fact(values).dtype;
  const OutletId zero =
      type == DatumType::string ? b.constant(Tensor::scalar(std::string())) : b.scalar(0, type);
  const OutletId zeros = b.one(Expand{}, {zero, b.integers({length})});
  return b.one(ScatterElements{}, {zeros, places, values});
}

}  // namespace

void ZipMap::rules(Rules& r) const {
  r.require(r.input(0, "X").shape[-1] == Dim(keys.size()));
  r.require(r.output(0, "keys").shape == std::vector<Dim>{keys.size()});
  r.require(r.output(1, "values").dtype == r.input(0, "X").dtype);
  r.require(r.output(1, "values").rank == 2);
  if (r.input(0, "X").rank.known() == 2)
    r.require(r.output(1, "values").shape == r.input(0, "X").shape);
}

OutletIds ZipMap::wire(Builder& b, const OutletIds& in) const {
  if (b.rank(in[0]) == 2u) return {b.constant(keys), in[0]};
  // A vector is one row.
  return {b.constant(keys), b.one(Reshape{}, {in[0], b.integers({-1, keys.size()})})};
}

void DictVectorizer::rules(Rules& r) const {
  r.require(r.input(0, "keys").dtype == vocabulary.dtype());
  r.require(r.input(1, "values").shape == r.input(0, "keys").shape);
  r.require(r.output(0, "Y").dtype == r.input(1, "values").dtype);
  r.require(r.output(0, "Y").shape == std::vector<Dim>{vocabulary.size()});
}

OutletIds DictVectorizer::wire(Builder& b, const OutletIds& in) const {
  const std::int64_t count = vocabulary.size();
  MutableTensor places(DatumType::i64, {count});
  for (std::int64_t i = 0; i < count; ++i)
    places.as<std::int64_t>()[static_cast<std::size_t>(i)] = i;
  // A key that is no word has the place behind the last, which ScatterElements refuses.
  const LabelEncoder place_of{vocabulary, std::move(places).freeze(), Tensor::scalar(count)};
  return {scattered(b, in[1], b.one(place_of, {in[0]}), count)};
}

void CastMap::rules(Rules& r) const {
  r.require(r.input(0, "keys").dtype == DatumType::i64);
  r.require(r.input(1, "values").shape == r.input(0, "keys").shape);
  r.require(r.output(0, "Y").dtype == to);
  r.require(r.output(0, "Y").rank == 2);
}

OutletIds CastMap::wire(Builder& b, const OutletIds& in) const {
  const OutletId values = cast_to(b, in[1], to);
  const auto row = [&](OutletId vector) { return b.one(Reshape{}, {vector, b.integers({1, -1})}); };
  if (form == MapForm::sparse) return {row(scattered(b, values, in[0], length))};
  const OutletId count = b.one(Reshape{}, {b.one(SizeOf{}, {in[0]}), b.integers({1})});
  const OutletIds ordered = b.wire(TopK{.axis = 0, .order = TopKOrder::least}, {in[0], count});
  return {row(b.one(Gather{0}, {values, ordered[1]}))};
}

}  // namespace strata::hir
