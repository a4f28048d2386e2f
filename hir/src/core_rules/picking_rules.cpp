#include "core_rules.h"
#include "strata/core/ops/compress.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/support.h"
#include "strata/core/ops/top_k.h"

namespace strata::hir {
namespace {

void select(Rules& r, const CoreOp&) {
  const auto a = r.input(1, "X");
  r.require(r.input(0, "condition").dtype == DatumType::boolean);
  r.require(r.input(2, "Y").dtype == a.dtype);
  r.require(out_of(r).dtype == a.dtype);
}

void gather(Rules& r, const CoreOp& core) {
  require_same_dtype(r);
  const auto data = data_of(r), indices = r.input(1, "indices"), out = out_of(r);
  r.require(out.rank == data.rank + indices.rank - 1);
  const auto rank = data.rank.known(), picked = indices.rank.known();
  if (!rank || !picked) return;
  const auto axis = static_cast<std::int64_t>(
      normalized_axis(core.op.as<Gather>()->axis, static_cast<std::size_t>(*rank)));
  for (std::int64_t i = 0; i < *rank; ++i)
    if (i != axis) r.require(out.shape[i < axis ? i : i + *picked - 1] == data.shape[i]);
  for (std::int64_t i = 0; i < *picked; ++i) r.require(out.shape[axis + i] == indices.shape[i]);
}

void gather_elements(Rules& r, const CoreOp&) {
  require_same_dtype(r);
  r.require(out_of(r).shape == r.input(1, "indices").shape);
  r.require(data_of(r).rank == r.input(1, "indices").rank);
}

void scatter_elements(Rules& r, const CoreOp& core) {
  same_type(r, core);
  const auto indices = r.input(1, "indices"), updates = r.input(2, "updates");
  r.require(updates.dtype == data_of(r).dtype);
  r.require(updates.shape == indices.shape);
  r.require(indices.rank == data_of(r).rank);
}

void scatter_nd(Rules& r, const CoreOp& core) {
  same_type(r, core);
  r.require(r.input(2, "updates").dtype == data_of(r).dtype);
}

void tensor_scatter(Rules& r, const CoreOp& core) {
  same_type(r, core);
  r.require(r.input(1, "update").dtype == data_of(r).dtype);
  r.require(r.input(1, "update").rank == data_of(r).rank);
}

void top_k(Rules& r, const CoreOp& core) {
  const auto values = r.output(0, "Values");
  require_same_dtype(r);
  same_off_axis(r, values, data_of(r), core.op.as<TopK>()->axis);
  if (r.output_count() < 2) return;
  r.require(r.output(1, "Indices").dtype == DatumType::i64);
  r.require(r.output(1, "Indices").shape == values.shape);
}

void one_hot(Rules& r, const CoreOp&) {
  r.require(out_of(r).rank == data_of(r).rank + 1);
  r.require(out_of(r).dtype == r.input(2, "values").dtype);
  r.require(r.input(2, "values").shape == std::vector<Dim>{Dim(2)});
}

void compress(Rules& r, const CoreOp& core) {
  require_same_dtype(r);
  r.require(r.input(1, "condition").dtype == DatumType::boolean);
  r.require(r.input(1, "condition").rank == 1);
  if (const auto axis = core.op.as<Compress>()->axis)
    same_off_axis(r, out_of(r), data_of(r), *axis);
  else
    r.require(out_of(r).rank == 1);
}

void non_zero(Rules& r, const CoreOp&) {
  r.require(out_of(r).dtype == DatumType::i64);
  r.require(out_of(r).rank == 2);
  const auto count = out_of(r).shape[0].known();
  // A scalar counts as a vector of one element.
  if (count && count->constant() && *count->constant() > 1)
    r.require(data_of(r).rank == *count->constant());
}

void range(Rules& r, const CoreOp& core) {
  same_dtype(r, core);
  r.require(out_of(r).rank == 1);
  for (std::size_t i = 1; i < 3; ++i) r.require(r.input(i, "limit").dtype == data_of(r).dtype);
}

constexpr CoreRules kRows[] = {
    {"Compress", compress},
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"GatherNd", same_dtype},
    {"NonZero", non_zero},
    {"OneHot", one_hot},
    {"Range", range},
    {"ScatterElements", scatter_elements},
    {"ScatterNd", scatter_nd},
    {"Select", select},
    {"TensorScatter", tensor_scatter},
    {"TopK", top_k},
    {"Unique", same_dtype},
};

}  // namespace

std::span<const CoreRules> picking_rules() { return kRows; }

}  // namespace strata::hir
