#include <algorithm>
#include <functional>

#include "kernel_ops/integer_matmul_kernel.h"
#include "kernel_ops/matrix_operand.h"
#include "kernel_ops/rules.h"

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

/// A constant right operand, packed with its column sums and zero points; nothing where it does not
/// suit these products.
std::optional<Tensor> packed_columns(const MatMul& op, const ByteWeights& b,
                                     const kernels::Int8Products& kernels) {
  const auto [k, n, row_step, column_step] = right_matrix(op, b.bytes.shape());
  const Index size = kernels.right_size(k, n), padded = whole_panels(kernels, n);
  MutableTensor packed = MutableTensor::zeros(DatumType::i32, {size + 2 * padded});
  kernels.pack_right({b.bytes.bytes().data(), row_step, column_step, byte_kind(b.bytes.dtype())}, k,
                     n, {0, n}, packed.as<std::int32_t>().data());
  const Index more =
      kernels.more_right ? kernels.more_right(packed.as<std::int32_t>().data(), k, n) : 0;
  if (more < 0) return std::nullopt;
  if (more > 0) {
    MutableTensor larger = MutableTensor::zeros(DatumType::i32, {size + more + 2 * padded});
    const auto words = packed.as<std::int32_t>().first(size);
    std::copy(words.begin(), words.end(), larger.as<std::int32_t>().begin());
    packed = std::move(larger);
  }
  std::int32_t* words = packed.as<std::int32_t>().data();
  std::int32_t *sums = words + size + more, *zeros = sums + padded;
  kernels.column_sums(words, k, n, sums);
  if (kernels.pack_more) kernels.pack_more(words, k, n);
  const std::int32_t moved = kernels::moved_by(byte_kind(b.bytes.dtype()), kernels.right_kind);
  for (Index j = 0; j < n; ++j)
    zeros[j] =
        wrapping(static_cast<std::uint32_t>(b.zero_at(j)) + static_cast<std::uint32_t>(moved));
  return std::move(packed).freeze();
}

/// Packs the right operand of a kernel, and says how.
Tensor packed_columns(const MatMul& op, const ByteWeights& b, IntegerMatMulKernel& kernel) {
  const kernels::Int8Kernels& kernels = kernels::int8_kernels(kernel.isa);
  std::optional<Tensor> packed;
  if (kernels.quads) packed = packed_columns(op, b, *kernels.quads);
  kernel.quads = packed.has_value();
  const RightMatrix matrix = right_matrix(op, b.bytes.shape());
  kernel.packed_k = matrix.k;
  kernel.packed_n = matrix.n;
  kernel.one_zero_b =
      std::adjacent_find(b.zeros.begin(), b.zeros.end(), std::not_equal_to()) == b.zeros.end();
  return packed ? *std::move(packed) : *packed_columns(op, b, kernels);
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
                                                 const CentredBytes& a, const ByteWeights& b,
                                                 Isa isa) {
  if (op.transpose_a || b.bytes.rank() != 2 || b.bytes.size() == 0 || !is_operand(patch, a, 0))
    return std::nullopt;
  IntegerMatMulCall call = with_left(a, isa);
  const Tensor packed = packed_columns(op, b, call.kernel);
  call.inputs.insert(call.inputs.begin() + 1, patch.constant("packed", packed));
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

/// MatMul of i32(a) - za and i32(b) - zb, or a constant that is bytes less zero points, one a
/// column
///   ->  IntegerMatMulKernel(a, b, za, zb)
Rewrite lower_integer_matmul(const NodeView& node, const Target& target) {
  const MatMul* matmul = node.op().as<MatMul>();
  if (!matmul || node.output_fact().dtype != DatumType::i32) return no_change;
  const auto a = centred_bytes(node.model, node.input(0));
  if (!a) return no_change;
  Patch patch(node);
  std::optional<IntegerMatMulCall> call;
  const std::size_t rank = node.input_fact(1).shape.is_open() ? 0 : node.input_fact(1).shape.rank();
  const auto weights = rank == 2
                           ? byte_weights(node.model, node.input(1), matmul->transpose_b ? 0 : 1)
                           : std::nullopt;
  if (weights)
    call = integer_product(patch, *matmul, *a, *weights, target.isa);
  else if (const auto b = centred_bytes(node.model, node.input(1)))
    call = integer_product(patch, *matmul, *a, *b, target.isa);
  if (!call) return no_change;
  patch.shunt(node.output(), patch.wire_one("", call->kernel, call->inputs));
  return patch;
}

}  // namespace strata
