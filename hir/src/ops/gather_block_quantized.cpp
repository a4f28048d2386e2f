#include "strata/hir/ops/gather_block_quantized.h"

#include "ops/arithmetic.h"
#include "ops/heads.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::hir {
namespace {

enum Input : std::size_t { kTable, kRows, kScales, kZeros };

/// Each element of the last axis in a byte of its own.
OutletId spread(Builder& b, OutletId bytes, std::int64_t bits) {
  if (bits == 8) return bytes;
  const std::size_t rank = required_rank(b, bytes, "the rows");
  const OutletId column = b.one(Unsqueeze{}, {bytes, b.integers({-1})});
  const OutletId parts[] = {binary(b, BinaryOp::bit_and, column, 15.0),
                            binary(b, BinaryOp::shift_right, column, 4.0)};
  Shape target(rank, 0);
  target.back() = -1;
  return split_into(b, b.one(strata::Concat{-1}, {parts[0], parts[1]}), target);
}

/// As many elements of the last axis as there are scales: zero points may end within a byte.
OutletId cut_like(Builder& b, OutletId x, OutletId scales) {
  return b.one(strata::Slice{},
               {x, b.integers({0}), size_of_axis(b, scales, -1), b.integers({-1})});
}

}  // namespace

void GatherBlockQuantized::rules(Rules& r) const {
  const auto table = r.input(kTable, "data"), rows = r.input(kRows, "indices"),
             scales = r.input(kScales, "scales"), out = r.output(0, "output");
  r.require(out.dtype == scales.dtype);
  r.require(scales.rank == table.rank);
  r.require(scales.shape[0] == table.shape[0]);
  r.require(out.rank == table.rank + rows.rank - 1);
  if (!r.has_input(kZeros)) return;
  r.require(r.input(kZeros, "zero_points").dtype == table.dtype);
  r.require(r.input(kZeros, "zero_points").rank == table.rank);
}

OutletIds GatherBlockQuantized::wire(Builder& b, const OutletIds& in) const {
  const auto picked = [&](OutletId x) { return b.one(Gather{0}, {x, in[kRows]}); };
  require(required_rank(b, in[kTable], "data") == 2, ErrorKind::unsupported, "a table of shape ",
          b.fact(in[kTable]).shape, " is not supported, one of two axes is");
  const bool is_bytes = b.fact(in[kTable]).dtype == DatumType::u8;
  const OutletId scales = picked(in[kScales]), rows = picked(in[kTable]);
  OutletIds quantised{is_bytes ? spread(b, rows, bits) : rows, scales};
  if (has(in, kZeros)) {
    const OutletId zeros = picked(in[kZeros]);
    quantised.push_back(is_bytes ? cut_like(b, spread(b, zeros, bits), scales) : zeros);
  } else if (is_bytes) {
    const OutletId middle = b.scalar(static_cast<double>(1 << (bits - 1)), DatumType::u8);
    quantised.push_back(b.one(Expand{}, {middle, b.one(ShapeOf{}, {scales})}));
  }
  return {b.one(Dequantize{b.fact(in[kScales]).dtype, -1, block_size}, quantised)};
}

}  // namespace strata::hir
