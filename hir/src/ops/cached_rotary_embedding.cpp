#include "strata/hir/ops/cached_rotary_embedding.h"

#include "ops/arithmetic.h"
#include "ops/heads.h"

namespace strata::hir {
namespace {

enum Input : std::size_t { kX, kPositions, kCosines, kSines };

/// As many heads as there are, each as large as the cosines turn of it.
std::int64_t heads_of(const Builder& b, const OutletIds& in) {
  const ShapeFact &x = b.fact(in[kX]).shape, &cosines = b.fact(in[kCosines]).shape;
  const auto width = x.dims().back().constant();
  const auto pairs = cosines.is_known() ? cosines.dims().back().constant() : std::nullopt;
  require(width && pairs && *pairs > 0, ErrorKind::unsupported, "how many heads x of shape ", x,
          " has is not known");
  check(*width % (2 * *pairs) == 0, "x of shape ", x, " has no heads of ", 2 * *pairs, " elements");
  return *width / (2 * *pairs);
}

/// [batch, steps], or [1, steps] of the steps from the first one on.
OutletId step_positions(Builder& b, const OutletIds& in, std::size_t rank) {
  if (required_rank(b, in[kPositions], "position_ids") != 1) return in[kPositions];
  const OutletId steps = size_of_axis(b, in[kX], rank == 4 ? 2 : 1);
  const OutletId first = cast_to(b, in[kPositions], DatumType::i64);
  return split_into(b, add(b, positions(b, steps), first), {1, -1});
}

}  // namespace

void CachedRotaryEmbedding::rules(Rules& r) const {
  const auto x = r.input(kX, "input"), cosines = r.input(kCosines, "cos_cache"),
             sines = r.input(kSines, "sin_cache");
  require_same_shape(r);
  require_same_dtype(r);
  r.require(cosines.dtype == x.dtype);
  r.require(sines.dtype == x.dtype);
  r.require(cosines.rank == 2);
  r.require(sines.shape == cosines.shape);
}

OutletIds CachedRotaryEmbedding::wire(Builder& b, const OutletIds& in) const {
  const std::size_t rank = required_rank(b, in[kX], "input");
  RotaryEmbedding op = rotary;
  if (rank == 3 && !op.heads) op.heads = heads_of(b, in);
  return op.wire(b, {in[kX], in[kCosines], in[kSines], step_positions(b, in, rank)});
}

}  // namespace strata::hir
