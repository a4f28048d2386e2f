#include <algorithm>
#include <functional>

#include "kernel_ops/integer_matmul_kernel.h"

/// Where products of bytes come from.
namespace strata {
namespace {

using kernels::Index;

/// Whether a zero point is one number, or one for each index of `axis` of this shape of rank 2.
bool fits_zero(const ShapeFact& zero, const ShapeFact& bytes, std::size_t axis) {
  if (zero.is_open() || bytes.is_open()) return false;
  for (std::size_t i = 0; i < zero.rank(); ++i) {
    const std::size_t at = i + bytes.rank() - zero.rank();
    const bool is_axis = bytes.rank() == 2 && at == axis;
    if (zero[i] != Dim(1) && !(is_axis && zero[i] == bytes[at])) return false;
  }
  return true;
}

bool is_matrix(const Fact& fact) {
  return fact.shape.is_known() && fact.shape.rank() >= 2 && fact.shape.rank() <= kMaxKernelRank;
}

struct PackedColumns {
  Tensor words;
  bool has_one_zero;
};

/// A constant right operand, packed with its column sums and zero points.
std::optional<PackedColumns> packed_columns(const MatMul& op, const Tensor& b,
                                            const kernels::Int8Kernels& kernels) {
  const Index k = b.shape()[op.transpose_b ? 1 : 0], n = b.shape()[op.transpose_b ? 0 : 1];
  const Index row_step = op.transpose_b ? 1 : n, column_step = op.transpose_b ? k : 1;
  const auto columns =
      stored_rows({b.as<std::int32_t>(), n, k, column_step, row_step}, kUnsignedBytes);
  if (!columns) return std::nullopt;
  const Index size = kernels.right_size(k, n), padded = whole_panels(kernels, n);
  MutableTensor packed = MutableTensor::zeros(DatumType::i32, {size + 2 * padded});
  std::int32_t* words = packed.as<std::int32_t>().data();
  const std::vector<std::uint8_t> bytes(columns->bytes.begin(), columns->bytes.end());
  kernels.pack_right({bytes.data(), row_step, column_step, kernels::ByteKind::u8}, k, n, {0, n},
                     words);
  kernels.column_sums(words, k, n, words + size);
  std::copy(columns->zeros.begin(), columns->zeros.end(), words + size + padded);
  const bool has_one_zero =
      std::ranges::adjacent_find(columns->zeros, std::not_equal_to()) == columns->zeros.end();
  return PackedColumns{std::move(packed).freeze(), has_one_zero};
}

/// Whether the bytes are matrices with a zero point for all, or one for each index of `axis`.
bool is_operand(const Patch& patch, const CentredBytes& operand, std::size_t axis) {
  const Fact& bytes = patch.fact_of(operand.bytes);
  return is_matrix(bytes) && (operand.zero.is_absent() ||
                              fits_zero(patch.fact_of(operand.zero).shape, bytes.shape, axis));
}

/// A kernel of which the right operand is not known yet.
IntegerMatMulCall with_left(const CentredBytes& a, Isa isa) {
  IntegerMatMulCall call{{.zero_a = !a.zero.is_absent(), .isa = isa}, {a.bytes}};
  if (call.kernel.zero_a) call.inputs.push_back(a.zero);
  return call;
}

}  // namespace

std::optional<IntegerMatMulCall> integer_product(Patch& patch, const MatMul& op,
                                                 const CentredBytes& a, const Tensor& b, Isa isa) {
  if (op.transpose_a || b.rank() != 2 || b.size() == 0 || !is_operand(patch, a, 0))
    return std::nullopt;
  const auto packed = packed_columns(op, b, kernels::int8_kernels(isa));
  if (!packed) return std::nullopt;
  IntegerMatMulCall call = with_left(a, isa);
  call.kernel.packed_k = b.shape()[op.transpose_b ? 1 : 0];
  call.kernel.packed_n = b.shape()[op.transpose_b ? 0 : 1];
  call.kernel.one_zero_b = packed->has_one_zero;
  call.inputs.insert(call.inputs.begin() + 1, patch.constant("packed", packed->words));
  return call;
}

std::optional<IntegerMatMulCall> integer_product(const Patch& patch, const MatMul& op,
                                                 const CentredBytes& a, const CentredBytes& b,
                                                 Isa isa) {
  if (op.transpose_a || op.transpose_b || !is_operand(patch, a, 0) || !is_operand(patch, b, 1))
    return std::nullopt;
  IntegerMatMulCall call = with_left(a, isa);
  call.inputs.insert(call.inputs.begin() + 1, b.bytes);
  call.kernel.zero_b = !b.zero.is_absent();
  if (call.kernel.zero_b) call.inputs.push_back(b.zero);
  return call;
}

/// MatMul of i32(a) - za and i32(b) - zb, or a constant less than 256 apart in each column
///   ->  IntegerMatMulKernel(a, b, za, zb)
Rewrite lower_integer_matmul(const NodeView& node, const Target& target) {
  const MatMul* matmul = node.op().as<MatMul>();
  if (!matmul || node.output_fact().dtype != DatumType::i32) return no_change;
  const auto a = centred_bytes(node.model, node.input(0));
  if (!a) return no_change;
  Patch patch(node);
  std::optional<IntegerMatMulCall> call;
  if (const Tensor* constant = node.input_fact(1).constant())
    call = integer_product(patch, *matmul, *a, *constant, target.isa);
  else if (const auto b = centred_bytes(node.model, node.input(1)))
    call = integer_product(patch, *matmul, *a, *b, target.isa);
  if (!call) return no_change;
  patch.shunt(node.output(), patch.wire_one("", call->kernel, call->inputs));
  return patch;
}

}  // namespace strata
