#include <utility>

#include "core_rules.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/roi_align.h"
#include "strata/core/ops/roi_pool.h"

namespace strata::hir {
namespace {

void pool(Rules& r, const CoreOp& core) {
  same_rank(r, core);
  const auto data = data_of(r), out = out_of(r);
  r.require(data.rank == static_cast<std::int64_t>(core.op.as<Pool>()->kernel.size() + 2));
  for (const std::int64_t axis : {0, 1}) r.require(out.shape[axis] == data.shape[axis]);
  if (r.output_count() < 2) return;
  r.require(r.output(1, "indices").dtype == DatumType::i64);
  r.require(r.output(1, "indices").shape == out.shape);
}

void max_unpool(Rules& r, const CoreOp& core) {
  same_rank(r, core);
  r.require(r.input(1, "indices").dtype == DatumType::i64);
  r.require(r.input(1, "indices").shape == data_of(r).shape);
  for (const std::int64_t axis : {0, 1}) r.require(out_of(r).shape[axis] == data_of(r).shape[axis]);
}

void roi_align(Rules& r, const CoreOp& core) {
  require_same_dtype(r);
  const auto x = data_of(r), rois = r.input(1, "rois"), out = out_of(r);
  r.require(x.rank == 4);
  r.require(rois.rank == 2);
  r.require(rois.dtype == x.dtype);
  r.require(out.rank == 4);
  r.require(out.shape[0] == rois.shape[0]);
  r.require(out.shape[1] == x.shape[1]);
  if (core.op.as<RoiAlign>()) r.require(r.input(2, "batch_indices").shape[0] == rois.shape[0]);
}

void grid_sample(Rules& r, const CoreOp& core) {
  same_rank(r, core);
  const auto x = data_of(r), grid = r.input(1, "grid"), out = out_of(r);
  r.require(grid.rank == x.rank);
  r.require(grid.shape[0] == x.shape[0]);
  r.require(out.shape[0] == x.shape[0]);
  r.require(out.shape[1] == x.shape[1]);
  const std::int64_t rank = x.rank.known().value_or(0);
  for (std::int64_t i = 2; i < rank; ++i) r.require(out.shape[i] == grid.shape[i - 1]);
}

void col2im(Rules& r, const CoreOp&) {
  require_same_dtype(r);
  r.require(data_of(r).rank == 3);
  r.require(out_of(r).shape[0] == data_of(r).shape[0]);
  r.require(r.input(2, "block_shape").shape == r.input(1, "image_shape").shape);
}

/// theta[N, axes, axes + 1] and the size of an image of N, C and the axes.
void affine_grid(Rules& r, const CoreOp& core) {
  same_dtype(r, core);
  const auto theta = data_of(r), size = r.input(1, "size"), out = out_of(r);
  r.require(theta.rank == 3);
  r.require(size.rank == 1);
  for (const auto& [dim, fewer] : {std::pair{size.shape[0], 0},
                                   {theta.shape[2], 1},
                                   {theta.shape[1], 2},
                                   {out.shape[-1], 2}}) {
    const auto count = dim.known();
    if (count && count->constant()) r.require(out.rank == *count->constant() + fewer);
    if (const auto rank = out.rank.known()) r.require(dim == Dim(*rank - fewer));
  }
  r.require(out.shape[0] == theta.shape[0]);
}

void image_decoder(Rules& r, const CoreOp&) {
  r.require(data_of(r).dtype == DatumType::u8);
  r.require(data_of(r).rank == 1);
  r.require(out_of(r).dtype == DatumType::u8);
  r.require(out_of(r).rank == 3);
}

constexpr CoreRules kRows[] = {
    {"AffineGrid", affine_grid},     {"Col2Im", col2im},        {"GridSample", grid_sample},
    {"ImageDecoder", image_decoder}, {"MaxUnpool", max_unpool}, {"Pool", pool},
    {"RoiAlign", roi_align},         {"RoiPool", roi_align},
};

}  // namespace

std::span<const CoreRules> image_rules() { return kRows; }

}  // namespace strata::hir
