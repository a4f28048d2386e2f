#include "kernel_ops/matmul_kernel.h"

#include <algorithm>

namespace strata {
namespace {

using kernels::Gemm;
using kernels::Index;

/// What one product of a batch is made of, but for the pointers.
struct Product {
  Index m = 1, n = 1, k = 1;
  Index batch = 1;
};

Product product_of(const MatMulKernel& op, Span a, Span b) noexcept {
  const bool packed = op.packed_k != 0;
  Product out;
  const std::size_t rank = a.size();
  const Index rows = a[rank - 2], columns = a[rank - 1];
  out.m = op.op.transpose_a ? columns : rows;
  out.k = op.op.transpose_a ? rows : columns;
  if (packed) {
    out.n = op.packed_n;
    if (!op.op.transpose_a)
      out.m = volume(a.first(rank - 1));
    else
      out.batch = volume(a.first(rank - 2));
  } else {
    out.n = op.op.transpose_b ? b[b.size() - 2] : b[b.size() - 1];
  }
  return out;
}

Gemm gemm_of(const MatMulKernel& op, const Product& product) noexcept {
  Gemm gemm{.m = product.m, .n = product.n, .k = product.k, .c_stride = product.n};
  gemm.a = op.op.transpose_a ? kernels::MatrixView{nullptr, 1, product.m}
                             : kernels::MatrixView{nullptr, product.k, 1};
  gemm.b = op.op.transpose_b ? kernels::MatrixView{nullptr, 1, product.k}
                             : kernels::MatrixView{nullptr, product.n, 1};
  gemm.epilogue.activation = op.activation.call();
  return gemm;
}

/// Offset of the matrix that operand `shape` contributes to batch element `index` of `batch`.
Index batch_offset(Span shape, Span batch, Index index, Index matrix) noexcept {
  Index offset = 0, step = matrix;
  const std::size_t own = shape.size() - 2;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Index size = batch[batch.size() - 1 - i];
    const Index at = index % size;
    index /= size;
    if (i >= own) continue;
    const Index extent = shape[own - 1 - i];
    if (extent != 1) offset += at * step;
    step *= extent;
  }
  return offset;
}

bool is_usable(const Fact& fact) {
  return is_f32(fact) && fact.shape.is_known() && fact.shape.rank() >= 2;
}

}  // namespace

AttrValue to_attr(const MatMul& op) {
  return std::vector<std::int64_t>{op.transpose_a, op.transpose_b};
}
void from_attr(const AttrValue& value, MatMul& op) {
  const auto& flags = attr_as<std::vector<std::int64_t>>(value, "list of flags");
  check(flags.size() == 2, "a matmul has ", flags.size(), " flags");
  op = {flags[0] != 0, flags[1] != 0};
}

FactList MatMulKernel::output_facts(Facts in) const {
  check_arity(name, in, 2, 3);
  const Fact b = right_operand(in[1]);
  const Fact* operands[] = {&in[0], &b};
  return op.output_facts(Facts(operands));
}

Fact MatMulKernel::right_operand(const Fact& given) const {
  if (packed_k == 0) return given;
  return Fact::tensor(DatumType::f32,
                      op.transpose_b ? Shape{packed_n, packed_k} : Shape{packed_k, packed_n});
}

Cost MatMulKernel::cost(Facts in, Facts out) const {
  const Fact b = right_operand(in[1]);
  const Fact* operands[] = {&in[0], &b};
  return op.cost(Facts(operands), out);
}

std::size_t MatMulKernel::scratch_bytes(Facts in) const {
  const Shape a = *in[0].shape.concrete(), b = *in[1].shape.concrete();
  Gemm gemm = gemm_of(*this, product_of(*this, a, b));
  static constexpr float kPacked = 0;
  if (packed_k != 0) gemm.packed_b = &kPacked;
  return kernels::kernels(isa).gemm_scratch(gemm);
}

void MatMulKernel::run(const KernelIo& io) const noexcept {
  const TensorView &a = io.inputs[0], &b = io.inputs[1];
  const Product product = product_of(*this, a.shape, b.shape);
  Gemm gemm = gemm_of(*this, product);
  if (io.inputs.size() > 2) {
    gemm.epilogue.bias = io.inputs[2].as<float>();
    gemm.epilogue.bias_kind = kernels::BiasKind::per_column;
  }
  const Span out = io.outputs[0].shape;
  const bool packed = packed_k != 0;
  const Span batch = packed && !op.transpose_a ? Span() : out.first(out.size() - 2);
  const Index count = volume(batch);
  const kernels::KernelTable& table = kernels::kernels(isa);
  for (Index i = 0; i < count; ++i) {
    gemm.a.data = a.as<float>() + batch_offset(a.shape, batch, i, product.m * product.k);
    if (packed)
      gemm.packed_b = b.as<float>();
    else
      gemm.b.data = b.as<float>() + batch_offset(b.shape, batch, i, product.k * product.n);
    gemm.c = io.outputs[0].as<float>() + i * product.m * product.n;
    table.gemm(gemm, {0, product.m}, {0, product.n}, io.scratch);
  }
}

/// MatMul on f32 -> MatMulKernel, with a constant b of rank 2 packed
Rewrite lower_matmul(const NodeView& node, const Target& target) {
  const MatMul* matmul = node.op().as<MatMul>();
  if (!matmul || !is_usable(node.input_fact(0)) || !is_usable(node.input_fact(1))) return no_change;
  MatMulKernel kernel{.op = *matmul, .isa = target.isa};
  const Tensor* b = node.input_fact(1).constant();
  if (!b || b->rank() != 2 || b->size() == 0) return replace(node, kernel, node.inputs());
  kernel.packed_k = b->shape()[matmul->transpose_b ? 1 : 0];
  kernel.packed_n = b->shape()[matmul->transpose_b ? 0 : 1];
  const kernels::KernelTable& table = kernels::kernels(target.isa);
  MutableTensor packed =
      MutableTensor::zeros(DatumType::f32, {table.packed_b_size(kernel.packed_k, kernel.packed_n)});
  const Gemm layout = gemm_of(kernel, {.m = 1, .n = kernel.packed_n, .k = kernel.packed_k});
  table.pack_b({b->as<float>().data(), layout.b.row_stride, layout.b.column_stride},
               kernel.packed_k, kernel.packed_n, packed.as<float>().data());
  Patch patch(node);
  const OutletId weights = patch.constant("packed", std::move(packed).freeze());
  patch.shunt(node.output(), patch.wire_one("", kernel, {node.input(0), weights}));
  return patch;
}

}  // namespace strata
