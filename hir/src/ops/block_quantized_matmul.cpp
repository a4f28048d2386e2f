#include "strata/hir/ops/block_quantized_matmul.h"

#include "ops/arithmetic.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/support.h"

namespace strata::hir {
namespace {

enum Input : std::size_t { kA, kWeights, kScales, kZeros, kBias = 5 };

/// Elements of a few bits that fill bytes: [rows, columns], cut from rows of whole bytes.
struct PackedRows {
  std::int64_t rows, columns, bits;
  std::int64_t in_bytes() const { return (columns * bits + 7) / 8; }
  std::int64_t padded() const { return in_bytes() * 8 / bits; }
};

DatumType narrow_type(std::int64_t bits) {
  return bits == 2 ? DatumType::u2 : bits == 4 ? DatumType::u4 : DatumType::u8;
}

/// The bytes of a constant as elements of a narrow type, which lie in them in the same order.
Tensor narrow(const Tensor& bytes, const PackedRows& layout) {
  return Tensor::borrowed(narrow_type(layout.bits), {layout.rows, layout.padded()}, bytes.data(),
                          std::make_shared<const Tensor>(bytes));
}

/// Each element in a byte of its own.
OutletId spread(Builder& b, OutletId bytes, const PackedRows& layout) {
  const OutletId rows = b.one(Reshape{}, {bytes, b.integers({layout.rows, layout.in_bytes(), 1})});
  OutletIds parts;
  for (std::int64_t shift = 0; shift < 8; shift += layout.bits) {
    const OutletId shifted = binary(b, BinaryOp::shift_right, rows, static_cast<double>(shift));
    parts.push_back(
        binary(b, BinaryOp::bit_and, shifted, static_cast<double>((1 << layout.bits) - 1)));
  }
  const OutletId elements = b.one(strata::Concat{2}, parts);
  return b.one(Reshape{}, {elements, b.integers({layout.rows, layout.padded()})});
}

/// The elements of `bytes`: of the narrow type where they are constant, or of u8.
OutletId elements_of(Builder& b, OutletId bytes, const PackedRows& layout, bool is_narrow) {
  const auto count = b.fact(bytes).shape.volume();
  check(!count || may_be_equal(*count, Dim(layout.rows * layout.in_bytes())), "shape ",
        b.fact(bytes).shape, " has not ", layout.in_bytes(), " bytes for each of ", layout.rows,
        " rows");
  const OutletId all =
      is_narrow ? b.constant(narrow(*b.fact(bytes).constant(), layout)) : spread(b, bytes, layout);
  if (layout.columns == layout.padded()) return all;
  return b.one(strata::Slice{},
               {all, b.integers({0}), b.integers({layout.columns}), b.integers({1})});
}

/// The middle of the range for each block.
Tensor middle(const PackedRows& zeros, bool is_narrow) {
  MutableTensor out(DatumType::u8, {zeros.rows, zeros.columns});
  for (std::uint8_t& each : out.as<std::uint8_t>())
    each = static_cast<std::uint8_t>(1 << (zeros.bits - 1));
  const Tensor bytes = std::move(out).freeze();
  return is_narrow && zeros.bits < 8 ? packed(bytes, narrow_type(zeros.bits)) : bytes;
}

/// What float zero points take away: the sums of the blocks of A times zero point and scale.
OutletId taken_by_zeros(Builder& b, const BlockQuantizedMatMul& op, const OutletIds& in,
                        OutletId scales) {
  require(op.inner % op.block_size == 0, ErrorKind::unsupported,
          "float zero points with a last block that is not full (", op.inner, " in blocks of ",
          op.block_size, ") are not supported");
  const OutletId last = b.integers({-1});
  const OutletId leading =
      b.one(strata::Slice{}, {b.one(ShapeOf{}, {in[kA]}), b.integers({0}), last});
  const OutletId in_blocks = b.one(
      Reshape{},
      {in[kA], b.one(strata::Concat{0}, {leading, b.integers({op.blocks(), op.block_size})})});
  const OutletId sums =
      b.one(strata::Reduce{.op = Reduction::sum, .keep_dims = false, .no_axes = NoAxes::means_none},
            {in_blocks, last});
  const OutletId zeros = b.one(Reshape{}, {in[kZeros], b.integers({op.outer, op.blocks()})});
  return b.one(strata::MatMul{.transpose_b = true}, {sums, mul(b, zeros, scales)});
}

}  // namespace

void BlockQuantizedMatMul::rules(Rules& r) const {
  const auto a = r.input(kA, "A"), scales = r.input(kScales, "scales"), out = r.output(0, "Y");
  r.require(r.input(kWeights, "B").dtype == DatumType::u8);
  r.require(out.dtype == a.dtype);
  r.require(scales.dtype == a.dtype);
  r.require(out.rank == a.rank);
  r.require(a.shape[-1] == Dim(inner));
  r.require(out.shape[-1] == Dim(outer));
  const auto rank = a.rank.known();
  for (std::int64_t i = 0; rank && i + 1 < *rank; ++i) r.require(out.shape[i] == a.shape[i]);
}

OutletIds BlockQuantizedMatMul::wire(Builder& b, const OutletIds& in) const {
  const bool has_packed_zeros = has(in, kZeros) && b.fact(in[kZeros]).dtype == DatumType::u8;
  const bool has_float_zeros = has(in, kZeros) && !has_packed_zeros;
  const bool is_narrow =
      b.fact(in[kWeights]).constant() && (!has_packed_zeros || b.fact(in[kZeros]).constant());
  const PackedRows weights{outer, blocks() * block_size, bits}, zeros{outer, blocks(), bits};
  OutletId numbers = elements_of(b, in[kWeights], weights, is_narrow);
  if (weights.columns != inner)
    numbers =
        b.one(strata::Slice{}, {numbers, b.integers({0}), b.integers({inner}), b.integers({1})});
  const OutletId scales = b.one(Reshape{}, {in[kScales], b.integers({outer, blocks()})});
  OutletIds quantised{numbers, scales};
  if (has_packed_zeros) quantised.push_back(elements_of(b, in[kZeros], zeros, is_narrow));
  if (!has(in, kZeros)) quantised.push_back(b.constant(middle(zeros, is_narrow)));
  const OutletId reals = b.one(Dequantize{b.fact(in[kA]).dtype, 1, block_size}, quantised);
  OutletId y =
      b.one(strata::MatMul{.transpose_b = true, .may_round_a = may_round_a}, {in[kA], reals});
  if (has_float_zeros) y = sub(b, y, taken_by_zeros(b, *this, in, scales));
  return {has(in, kBias) ? add(b, y, in[kBias]) : y};
}

}  // namespace strata::hir
