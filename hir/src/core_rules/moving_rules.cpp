#include "core_rules.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/transpose.h"

namespace strata::hir {
namespace {

void transpose(Rules& r, const CoreOp& core) {
  same_rank(r, core);
  const auto data = data_of(r), out = out_of(r);
  const auto& perm = core.op.as<Transpose>()->perm;
  if (!perm.empty()) r.require(data.rank == static_cast<std::int64_t>(perm.size()));
  const std::int64_t rank = data.rank.known().value_or(0);
  for (std::int64_t i = 0; i < rank; ++i)
    r.require(out.shape[i] == data.shape[perm.empty() ? rank - 1 - i : perm[std::size_t(i)]]);
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

void shape_of(Rules& r, const CoreOp& core) {
  r.require(out_of(r).dtype == DatumType::i64);
  r.require(out_of(r).rank == 1);
  const auto* op = core.op.as<ShapeOf>();
  if (op->start != 0 || op->end) return;
  const auto count = out_of(r).shape[0].known();
  if (count && count->constant()) r.require(data_of(r).rank == *count->constant());
}

constexpr CoreRules kRows[] = {
    {"Cumulate", same_type}, {"Expand", same_dtype},
    {"Reshape", sized},      {"ReverseSequence", same_type},
    {"ShapeOf", shape_of},   {"Slice", same_rank},
    {"Split", split},        {"Squeeze", squeeze},
    {"Tile", tile},          {"Transpose", transpose},
    {"Trilu", same_type},    {"Unsqueeze", unsqueeze},
};

}  // namespace

std::span<const CoreRules> moving_rules() { return kRows; }

}  // namespace strata::hir
