#include "strata/hir/ops/skip_normalization.h"

#include "ops/arithmetic.h"
#include "ops/heads.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/layer_norm.h"
#include "strata/core/ops/slice.h"
#include "strata/hir/ops/normalization.h"

namespace strata::hir {
namespace {

/// A vector of parameters goes along the last axis.
void require_row(Rules& r, std::size_t input, std::string_view name, const PortProxy& x) {
  if (!r.has_input(input)) return;
  const auto row = r.input(input, name);
  r.require(row.dtype == x.dtype);
  r.require(row.rank == 1);
  r.require(row.shape[0] == x.shape[-1]);
}

enum Embed : std::size_t {
  kIds,
  kSegmentIds,
  kWords,
  kPositions,
  kSegments,
  kGamma,
  kBeta,
  kMask,
  kPositionIds
};

/// The rows of the positions: those that are asked for, or the first ones.
OutletId position_rows(Builder& b, const OutletIds& in) {
  if (has(in, kPositionIds)) return b.one(Gather{0}, {in[kPositions], in[kPositionIds]});
  return b.one(strata::Slice{}, {in[kPositions], b.integers({0}), size_of_axis(b, in[kIds], 1)});
}

/// How many places of each text the mask shows.
OutletId shown_places(Builder& b, const OutletIds& in) {
  const DatumType type = b.fact(in[kIds]).dtype;
  if (!has(in, kMask)) return b.one(Expand{}, {b.scalar(0, type), size_of_axis(b, in[kIds], 0)});
  const OutletId shown = cast_to(b, binary(b, BinaryOp::equal, in[kMask], 1.0), type);
  return b.one(strata::Reduce{.op = Reduction::sum, .keep_dims = false}, {shown, b.integers({1})});
}

}  // namespace

void SkipNormalization::rules(Rules& r) const {
  const auto x = r.input(0, "input");
  require_same_shape(r);
  require_same_dtype(r);
  r.require(r.input(1, "skip").dtype == x.dtype);
  for (std::size_t i = 2; i < r.input_count(); ++i) require_row(r, i, "gamma, beta or bias", x);
  if (r.output_count() > 3) r.require(r.output(3, "input_skip_bias_sum").shape == x.shape);
}

OutletIds SkipNormalization::wire(Builder& b, const OutletIds& in) const {
  const std::size_t bias = kind == SkipNorm::layer ? 4 : 3;
  OutletId sum = add(b, in[0], in[1]);
  if (has(in, bias)) sum = add(b, sum, in[bias]);
  if (kind == SkipNorm::rms) {
    const OutletIds y = RmsNormalization{-1, epsilon}.wire(b, {sum, in[2]});
    return {y[0], kAbsent, y[1], sum};
  }
  OutletIds operands{sum, in[2]};
  if (has(in, 3)) operands.push_back(in[3]);
  const OutletIds y = LayerNormalization{-1, epsilon}.wire(b, operands);
  return {y[0], y[1], y[2], sum};
}

void EmbedLayerNormalization::rules(Rules& r) const {
  const auto ids = r.input(kIds, "input_ids"), words = r.input(kWords, "word_embedding"),
             out = r.output(0, "output");
  r.require(ids.rank == 2);
  r.require(words.rank == 2);
  r.require(out.rank == 3);
  r.require(out.dtype == words.dtype);
  r.require(out.shape[0] == ids.shape[0]);
  r.require(out.shape[1] == ids.shape[1]);
  r.require(out.shape[2] == words.shape[1]);
  for (const std::size_t i : {kGamma, kBeta}) require_row(r, i, "gamma or beta", out);
}

OutletIds EmbedLayerNormalization::wire(Builder& b, const OutletIds& in) const {
  check(has(in, kSegmentIds) == has(in, kSegments),
        "segment_ids and segment_embedding come only together");
  const OutletId words = b.one(Gather{0}, {in[kWords], in[kIds]});
  OutletId sum = add(b, words, position_rows(b, in));
  if (has(in, kSegments)) sum = add(b, sum, b.one(Gather{0}, {in[kSegments], in[kSegmentIds]}));
  const OutletId y = b.one(LayerNorm{-1, epsilon}, {sum, in[kGamma], in[kBeta]});
  return {y, shown_places(b, in), sum};
}

}  // namespace strata::hir
