#include "ops/arithmetic.h"
#include "strata/core/ops/compress.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/roi_align.h"
#include "strata/core/ops/roi_pool.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/support.h"
#include "strata/core/ops/top_k.h"
#include "strata/core/ops/transpose.h"
#include "strata/hir/inference_op.h"

/// Rules of core ops that ONNX has in the same form, one function for ops that share equations.
namespace strata::hir {
namespace {

/// A core op, and its operands that are attributes in an old version of ONNX.
struct CoreOp {
  const TypedOp& op;
  std::span<const Tensor> operands;
};

PortProxy data_of(const Rules& r) { return r.input(0, "data"); }
PortProxy out_of(const Rules& r) { return r.output(0, "output"); }

void same_dtype(Rules& r, const CoreOp&) { require_same_dtype(r); }

void same_rank(Rules& r, const CoreOp&) {
  require_same_dtype(r);
  r.require(out_of(r).rank == data_of(r).rank);
}

void same_type(Rules& r, const CoreOp&) {
  require_same_dtype(r);
  require_same_shape(r);
}

/// The dims of two ports that agree off `axis`.
void same_off_axis(Rules& r, const PortProxy& a, const PortProxy& b, std::int64_t axis) {
  r.require(a.rank == b.rank);
  const auto rank = a.rank.known();
  if (!rank) return;
  const auto apart = normalized_axis(axis, static_cast<std::size_t>(*rank));
  for (std::int64_t i = 0; i < *rank; ++i)
    if (std::cmp_not_equal(i, apart)) r.require(a.shape[i] == b.shape[i]);
}

void transpose(Rules& r, const CoreOp& core) {
  same_rank(r, core);
  const auto data = data_of(r), out = out_of(r);
  const auto& perm = core.op.as<Transpose>()->perm;
  if (!perm.empty()) r.require(data.rank == static_cast<std::int64_t>(perm.size()));
  const std::int64_t rank = data.rank.known().value_or(0);
  for (std::int64_t i = 0; i < rank; ++i)
    r.require(out.shape[i] == data.shape[perm.empty() ? rank - 1 - i : perm[std::size_t(i)]]);
}

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

void split(Rules& r, const CoreOp& core) {
  for (std::size_t i = 0; i < r.output_count(); ++i) {
    r.require(r.output(i, "outputs").dtype == data_of(r).dtype);
    same_off_axis(r, r.output(i, "outputs"), data_of(r), core.op.as<Split>()->axis);
  }
}

/// How many axes are listed, where that is known.
std::optional<std::int64_t> listed_axes(const Rules& r, const CoreOp& core) {
  if (!core.operands.empty()) return core.operands[0].size();
  if (!r.has_input(1)) return std::nullopt;
  const auto count = r.input(1, "axes").shape[0].known();
  return count ? count->constant() : std::nullopt;
}

void squeeze(Rules& r, const CoreOp& core) {
  require_same_dtype(r);
  if (const auto count = listed_axes(r, core))
    r.require(data_of(r).rank == out_of(r).rank + *count);
}

void unsqueeze(Rules& r, const CoreOp& core) {
  require_same_dtype(r);
  if (const auto count = listed_axes(r, core))
    r.require(out_of(r).rank == data_of(r).rank + *count);
}

/// The sizes of the output are an operand: as many as its rank.
void sized(Rules& r, const CoreOp& core) {
  require_same_dtype(r);
  if (!core.operands.empty())
    return r.require(out_of(r).rank == static_cast<std::int64_t>(core.operands[0].size()));
  const auto sizes = r.input(1, "shape");
  r.require(sizes.rank == 1);
  const auto count = sizes.shape[0].known();
  if (count && count->constant()) r.require(out_of(r).rank == *count->constant());
  if (const auto rank = out_of(r).rank.known()) r.require(sizes.shape[0] == Dim(*rank));
}

void tile(Rules& r, const CoreOp& core) {
  same_rank(r, core);
  r.require(r.input(1, "repeats").rank == 1);
  if (const auto rank = data_of(r).rank.known())
    r.require(r.input(1, "repeats").shape[0] == Dim(*rank));
}

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

void det(Rules& r, const CoreOp&) {
  require_same_dtype(r);
  r.require(data_of(r).rank == out_of(r).rank + 2);
  const auto rank = data_of(r).rank.known();
  if (!rank || *rank < 2) return;
  r.require(data_of(r).shape[-1] == data_of(r).shape[-2]);
  for (std::int64_t i = 0; i < *rank - 2; ++i) r.require(out_of(r).shape[i] == data_of(r).shape[i]);
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

void shape_of(Rules& r, const CoreOp& core) {
  r.require(out_of(r).dtype == DatumType::i64);
  r.require(out_of(r).rank == 1);
  const auto* op = core.op.as<ShapeOf>();
  if (op->start != 0 || op->end) return;
  const auto count = out_of(r).shape[0].known();
  if (count && count->constant()) r.require(data_of(r).rank == *count->constant());
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

void string_test(Rules& r, const CoreOp&) {
  require_same_shape(r);
  r.require(data_of(r).dtype == DatumType::string);
  r.require(out_of(r).dtype == DatumType::boolean);
}

void string_concat(Rules& r, const CoreOp&) {
  for (const auto& port : {data_of(r), r.input(1, "Y"), out_of(r)})
    r.require(port.dtype == DatumType::string);
}

struct Row {
  std::string_view op;
  void (*rules)(Rules&, const CoreOp&);
};

constexpr Row kRows[] = {
    {"Col2Im", col2im},
    {"Compress", compress},
    {"Cumulate", same_type},
    {"Det", det},
    {"Expand", same_dtype},
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"GatherNd", same_dtype},
    {"GridSample", grid_sample},
    {"MaxUnpool", max_unpool},
    {"NonZero", non_zero},
    {"OneHot", one_hot},
    {"Pool", pool},
    {"Range", range},
    {"RegexFullMatch", string_test},
    {"Reshape", sized},
    {"ReverseSequence", same_type},
    {"RoiAlign", roi_align},
    {"RoiPool", roi_align},
    {"ScatterElements", scatter_elements},
    {"ScatterNd", scatter_nd},
    {"Select", select},
    {"ShapeOf", shape_of},
    {"Slice", same_rank},
    {"Split", split},
    {"Squeeze", squeeze},
    {"StringConcat", string_concat},
    {"TensorScatter", tensor_scatter},
    {"Tile", tile},
    {"TopK", top_k},
    {"Transpose", transpose},
    {"Trilu", same_type},
    {"Unique", same_dtype},
    {"Unsqueeze", unsqueeze},
};

}  // namespace

void core_rules(const TypedOp& op, std::span<const Tensor> operands, Rules& r) {
  for (const Row& row : kRows)
    if (row.op == op.name()) return row.rules(r, {op, operands});
}

}  // namespace strata::hir
