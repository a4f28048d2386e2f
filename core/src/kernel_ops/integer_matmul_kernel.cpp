#include "kernel_ops/integer_matmul_kernel.h"

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/shared_work.h"

namespace strata {
namespace {

using kernels::ByteMatrix;
using kernels::Index;
using kernels::Range;

/// The sizes of the products, one for each matrix of the output.
struct Sizes {
  Index m, n, k;
  Span batch;  ///< of the output
};

bool joins_rows(const IntegerMatMulKernel& op, std::size_t rank_b) {
  return op.packed_k != 0 || rank_b == 2;
}

Sizes sizes_of(const IntegerMatMulKernel& op, Span a, Span b, Span out) {
  Sizes sizes{out[out.size() - 2], out[out.size() - 1], a[a.size() - 1], out.first(out.size() - 2)};
  if (joins_rows(op, b.size())) {
    sizes.m = volume(a.first(a.size() - 1));
    sizes.batch = {};
  }
  return sizes;
}

Index whole_panels(const kernels::Int8Kernels& kernels, Index n) {
  return (n + kernels.column_step - 1) / kernels.column_step * kernels.column_step;
}

/// A right operand with what corrections need of it; both vectors in whole panels.
struct RightOperand {
  const std::int32_t* packed;
  const std::int32_t* sums;
  const std::int32_t* zeros;
};

/// One number, or one a row or column.
struct ZeroPoints {
  const std::int32_t* numbers = nullptr;
  Index count = 0;
  std::int32_t moved = 0;  ///< what storing adds to them
  std::int32_t at(Index i) const {
    const std::int32_t zero = count == 0 ? 0 : numbers[count == 1 ? 0 : i];
    return wrapping(static_cast<std::uint32_t>(zero) + static_cast<std::uint32_t>(moved));
  }
};

ZeroPoints zero_points(const TensorView* view, std::int32_t moved) {
  if (!view) return {nullptr, 0, moved};
  return {view->as<std::int32_t>(), volume(view->shape), moved};
}

std::int32_t product(std::int32_t a, std::int32_t b) {
  return wrapping(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}

/// A kernel's call: what all of its products have in common.
struct Call {
  const IntegerMatMulKernel& op;
  const KernelIo& io;
  const kernels::Int8Kernels& kernels;
  Sizes sizes;
  kernels::SumFinish finish;
  ZeroPoints left_zeros, right_zeros;

  Call(const IntegerMatMulKernel& kernel, const KernelIo& given)
      : op(kernel),
        io(given),
        kernels(kernels::int8_kernels(op.isa)),
        sizes(sizes_of(op, io.inputs[0].shape, io.inputs[1].shape, io.outputs[0].shape)) {
    const Span out = io.outputs[0].shape;
    finish = finish_of(op.conversion, io.inputs.subspan(op.own_inputs()), out,
                       {out.size() - 2, out.size() - 1});
    const TensorView* next = io.inputs.data() + 2;
    left_zeros =
        zero_points(op.zero_a ? next++ : nullptr, io.inputs[0].dtype == DatumType::u8 ? -128 : 0);
    right_zeros =
        zero_points(op.zero_b ? next : nullptr, io.inputs[1].dtype == DatumType::i8 ? 128 : 0);
  }

  WorkSize work() const {
    constexpr double kFaster = 4;  // than products of floats
    const auto m = static_cast<double>(sizes.m), n = static_cast<double>(sizes.n),
               k = static_cast<double>(sizes.k);
    return {2 * m * n * k / kFaster, m * k + k * n + 4 * m * n};
  }
  WorkSize packing(Index rows, Index columns) const {
    return {0, 4 * static_cast<double>(rows) * static_cast<double>(columns)};
  }

  RightOperand packed_right() const {
    const auto* packed = io.inputs[1].as<std::int32_t>();
    const Index padded = whole_panels(kernels, sizes.n);
    const std::int32_t* sums = packed + kernels.right_size(sizes.k, sizes.n);
    return {packed, sums, sums + padded};
  }
  RightOperand pack_right(const std::byte* b, ScratchWords& scratch) const;
  void multiply(const std::byte* a, const RightOperand& right, std::byte* c,
                ScratchWords scratch) const;
};

RightOperand Call::pack_right(const std::byte* b, ScratchWords& scratch) const {
  const Index padded = whole_panels(kernels, sizes.n);
  std::int32_t* packed = scratch.take(kernels.right_size(sizes.k, sizes.n));
  std::int32_t *sums = scratch.take(padded), *zeros = scratch.take(padded);
  const ByteMatrix matrix{b, sizes.n, 1, byte_kind(io.inputs[1].dtype)};
  share_range(io, packing(sizes.k, sizes.n), sizes.n, kernels.column_step, [&](Range columns) {
    kernels.pack_right(matrix, sizes.k, sizes.n, columns, packed);
  });
  kernels.column_sums(packed, sizes.k, sizes.n, sums);
  for (Index j = 0; j < padded; ++j) zeros[j] = j < sizes.n ? right_zeros.at(j) : 0;
  return {packed, sums, zeros};
}

/// (a - za)(b - zb) summed = sum of a b - zb (sum of a - k za) - za sum of b
void Call::multiply(const std::byte* a, const RightOperand& right, std::byte* c,
                    ScratchWords scratch) const {
  const Index m = sizes.m, n = sizes.n, k = sizes.k;
  std::int32_t* left = scratch.take(kernels.left_size(m, k));
  std::int32_t *sums = scratch.take(m), *zeros = scratch.take(m);
  const ByteMatrix matrix{a, k, 1, byte_kind(io.inputs[0].dtype)};
  share_range(io, packing(m, k), m, kernels.row_step(m),
              [&](Range rows) { kernels.pack_left(matrix, m, k, rows, left, sums); });
  for (Index i = 0; i < m; ++i) {
    const auto zero = static_cast<std::uint32_t>(left_zeros.at(i));
    sums[i] = wrapping(static_cast<std::uint32_t>(k) * zero - static_cast<std::uint32_t>(sums[i]));
    zeros[i] = wrapping(0 - zero);
  }
  kernels::Int8Product whole{m, n, k, left, right.packed, finish, c, n};
  whole.finish.terms[0] = {sums, right.zeros};
  if (left_zeros.count > 1) {
    whole.finish.terms[1] = {zeros, right.sums};
  } else if (m > 0 && zeros[0] != 0) {
    std::int32_t* add = scratch.take(whole_panels(kernels, n));
    for (Index j = 0; j < whole_panels(kernels, n); ++j) add[j] = product(zeros[0], right.sums[j]);
    whole.finish.column_add = add;
  }
  const Index row_step = kernels.row_step(m), column_step = kernels.column_step;
  if (m / row_step > n / column_step)
    share_range(io, work(), m, row_step, [&](Range rows) {
      kernels.multiply(whole, rows, {0, n});
    });
  else
    share_range(io, work(), n, column_step, [&](Range columns) {
      kernels.multiply(whole, {0, m}, columns);
    });
}

Fact as_i32(const Fact& fact) { return Fact::tensor(DatumType::i32, fact.shape); }

Fact right_fact(const IntegerMatMulKernel& op, const Fact& given) {
  if (op.packed_k == 0) return as_i32(given);
  return Fact::tensor(DatumType::i32, Shape{op.packed_k, op.packed_n});
}

Fact product_fact(const IntegerMatMulKernel& op, Facts in) {
  const Fact a = as_i32(in[0]), b = right_fact(op, in[1]);
  const Fact* operands[] = {&a, &b};
  return MatMul{}.output_facts(Facts(operands))[0];
}

}  // namespace

FactList IntegerMatMulKernel::output_facts(Facts in) const {
  check_arity(name, in, own_inputs(), own_inputs() + 3);
  return {Fact::tensor(conversion.to, product_fact(*this, in).shape)};
}

Cost IntegerMatMulKernel::cost(Facts in, Facts out) const {
  const Fact a = as_i32(in[0]), b = right_fact(*this, in[1]);
  const Fact* operands[] = {&a, &b};
  Cost cost = memory_cost(in, out);
  cost.flops = MatMul{}.cost(Facts(operands), out).flops;
  return cost;
}

std::string IntegerMatMulKernel::explain(Facts in, Facts) const {
  const auto a = in[0].shape.concrete(), b = in[1].shape.concrete();
  if (!a || !b) return explain_integer_product(std::nullopt, isa);
  const bool joins = joins_rows(*this, b->size());
  return explain_integer_product(
      joins ? volume(Span(*a).first(a->size() - 1)) : (*a)[a->size() - 2], isa);
}

std::size_t IntegerMatMulKernel::scratch_bytes(Facts in) const {
  const Shape a = *in[0].shape.concrete(), b = *right_fact(*this, in[1]).shape.concrete(),
              out = *product_fact(*this, in).shape.concrete();
  const Sizes s = sizes_of(*this, a, b, out);
  const kernels::Int8Kernels& kernels = kernels::int8_kernels(isa);
  const Index padded = aligned_words(whole_panels(kernels, s.n));
  Index words = aligned_words(kernels.left_size(s.m, s.k)) + 2 * aligned_words(s.m) + padded;
  if (packed_k == 0) words += aligned_words(kernels.right_size(s.k, s.n)) + 2 * padded;
  return static_cast<std::size_t>(words) * sizeof(std::int32_t);
}

void IntegerMatMulKernel::run(const KernelIo& io) const {
  if (volume(io.outputs[0].shape) == 0) return;
  const Call call(*this, io);
  const Index m = call.sizes.m, n = call.sizes.n, k = call.sizes.k;
  const TensorView &a = io.inputs[0], &b = io.inputs[1];
  std::byte* c = io.outputs[0].data;
  if (packed_k != 0) return call.multiply(a.data, call.packed_right(), c, ScratchWords(io.scratch));
  const auto axes = [&](const TensorView& view) {
    return joins_rows(*this, b.shape.size()) ? Span()
                                             : Span(view.shape).first(view.shape.size() - 2);
  };
  const std::int64_t step = m * n * output_bytes(conversion);
  for_each_broadcast(call.sizes.batch, axes(a), axes(b), [&](std::int64_t at_a, std::int64_t at_b) {
    ScratchWords scratch(io.scratch);
    const RightOperand right = call.pack_right(b.data + at_b * k * n, scratch);
    call.multiply(a.data + at_a * m * k, right, c, scratch);
    c += step;
  });
}

namespace {

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

/// A constant right operand, packed with its column sums and zero points.
std::optional<Tensor> packed_columns(const MatMul& op, const Tensor& b,
                                     const kernels::Int8Kernels& kernels) {
  const Index k = b.shape()[op.transpose_b ? 1 : 0], n = b.shape()[op.transpose_b ? 0 : 1];
  const auto columns = stored_rows(
      {b.as<std::int32_t>(), n, k, op.transpose_b ? k : 1, op.transpose_b ? 1 : n}, kUnsignedBytes);
  if (!columns) return std::nullopt;
  const Index size = kernels.right_size(k, n), padded = whole_panels(kernels, n);
  MutableTensor packed = MutableTensor::zeros(DatumType::i32, {size + 2 * padded});
  std::int32_t* words = packed.as<std::int32_t>().data();
  const std::vector<std::uint8_t> bytes(columns->bytes.begin(), columns->bytes.end());
  kernels.pack_right({bytes.data(), 1, k, kernels::ByteKind::u8}, k, n, {0, n}, words);
  kernels.column_sums(words, k, n, words + size);
  std::copy(columns->zeros.begin(), columns->zeros.end(), words + size + padded);
  return std::move(packed).freeze();
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
  call.inputs.insert(call.inputs.begin() + 1, patch.constant("packed", *packed));
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
