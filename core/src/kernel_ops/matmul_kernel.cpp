#include "kernel_ops/matmul_kernel.h"

#include <algorithm>

#include "kernel_ops/half_weights.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/matrix_operand.h"
#include "kernel_ops/narrow_floats.h"
#include "kernel_ops/packed_later.h"
#include "kernel_ops/repeated_right.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "kernel_ops/sweep.h"
#include "kernel_ops/transposition.h"
#include "kernels/int8.h"

namespace strata {
namespace {

using kernels::Gemm;
using kernels::Index;

/// The packed matrix as if it were not packed.
MatrixOperand packed_operand(const MatMulKernel& op) noexcept {
  const Shape shape =
      op.op.transpose_b ? Shape{op.packed_n, op.packed_k} : Shape{op.packed_k, op.packed_n};
  return operand_of(shape, {});
}

/// Whether all rows of all matrices of a lie evenly spaced, and meet one b.
bool joins_rows(const MatMulKernel& op) noexcept {
  return op.packed_k != 0 && !op.op.transpose_a && op.perm_a.empty();
}

/// The longest block whose sum of products of two bytes surely fits 32 bits.
constexpr std::int64_t kMostRoundedBlock = std::int64_t{1} << 16;

/// The kernels of bytes that compute the product; null if none do.
const kernels::RoundedProducts* rounded_products(const MatMulKernel& op) noexcept {
  const bool are_bytes = op.weights == DatumType::u4 || op.weights == DatumType::u8;
  if (!op.op.may_round_a || !are_bytes || op.weight_block > kMostRoundedBlock) return nullptr;
  const kernels::RoundedProducts* const found = kernels::int8_kernels(op.isa).rounded;
  return found && static_cast<Index>(bit_width(op.weights)) <= found->most_bits ? found : nullptr;
}

kernels::NarrowForm form_of(const MatMulKernel& op) noexcept {
  if (!op.has_narrow_weights()) return {};
  return {static_cast<Index>(bit_width(op.weights)), op.weight_block,
          narrow_float(op.weights).value_or(kernels::NarrowFloat::f16)};
}

Gemm gemm_of(const MatMulKernel& op, const MatrixOperand& a, const MatrixOperand& b) noexcept {
  Gemm gemm;
  gemm.m = op.op.transpose_a ? a.columns() : a.rows();
  gemm.n = op.op.transpose_b ? b.rows() : b.columns();
  gemm.k = op.op.transpose_a ? a.rows() : a.columns();
  if (joins_rows(op))
    for (std::size_t i = 0; i + 2 < a.rank; ++i) gemm.m *= a.size[i];
  gemm.c_stride = gemm.n;
  gemm.a = op.op.transpose_a ? a.turned_view() : a.view();
  gemm.b = op.op.transpose_b ? b.turned_view() : b.view();
  gemm.narrow = form_of(op);
  gemm.rounded = rounded_products(op);
  gemm.epilogue.activation = op.activation.call();
  return gemm;
}

/// The product of operands of these shapes, without data.
Gemm sized(const MatMulKernel& op, Span a, Span b) noexcept {
  Gemm gemm = gemm_of(op, operand_of(a, op.perm_a),
                      op.packed_k ? packed_operand(op) : operand_of(b, op.perm_b));
  static constexpr float kPacked = 0;
  if (op.packed_k != 0) gemm.packed_b = &kPacked;
  return gemm;
}

}  // namespace

AttrValue to_attr(const MatMul& op) {
  return std::vector<std::int64_t>{op.transpose_a, op.transpose_b, op.may_round_a};
}
void from_attr(const AttrValue& value, MatMul& op) {
  const auto& flags = attr_as<std::vector<std::int64_t>>(value, "list of flags");
  check(flags.size() == 3, "a matmul has ", flags.size(), " flags");
  op = {flags[0] != 0, flags[1] != 0, flags[2] != 0};
}

FactList MatMulKernel::output_facts(Facts in) const {
  check_arity(name, in, residual ? 3 : 2, residual ? 4 : 3);
  const Fact a = left_operand(in[0]), b = right_operand(in[1]);
  const Fact* operands[] = {&a, &b};
  FactList out = op.output_facts(Facts(operands));
  if (!residual) return out;
  const Fact& added = in[in.size() - 1];
  const auto have = added.shape.concrete(), want = out[0].shape.concrete();
  check(!have || !want || product(*have) == product(*want), name, " adds ", added, " to ", out[0]);
  return out;
}

Fact MatMulKernel::left_operand(const Fact& given) const { return permuted(given, perm_a); }

Fact MatMulKernel::right_operand(const Fact& given) const {
  if (packed_k == 0) return permuted(given, perm_b);
  return Fact::tensor(DatumType::f32,
                      op.transpose_b ? Shape{packed_n, packed_k} : Shape{packed_k, packed_n});
}

Cost MatMulKernel::cost(Facts in, Facts out) const {
  const Fact a = left_operand(in[0]), b = right_operand(in[1]);
  const Fact* operands[] = {&a, &b};
  Cost cost = op.cost(Facts(operands), out);
  const auto saved_bits = 32 - static_cast<std::int64_t>(bit_width(weights));
  cost.bytes_read -= static_cast<double>(packed_k * packed_n * saved_bits) / 8;
  return cost;
}

std::string MatMulKernel::explain(Facts in, Facts) const {
  const auto a = in[0].shape.concrete(), b = in[1].shape.concrete();
  std::string text = a && b ? explain_product(sized(*this, *a, *b), isa) : explain_product(isa);
  if (has_narrow_weights()) text += cat("; weights are ", weights);
  if (weight_block != 0) text += cat(" with a scale for ", weight_block, " steps");
  if (rounded_products(*this)) text += "; rows are rounded to bytes, with a scale for as many";
  return text;
}

namespace {

/// A kernel's products, one for each matrix of the output.
struct Products {
  const MatMulKernel& op;
  const KernelIo& io;
  MatrixOperand a, b;
  Span batch;   ///< axes of the output before the matrices
  Sweep sweep;  ///< of packed weights
  Gemm gemm;

  Index count() const { return volume(batch); }
  RepeatedRight repeated_right(const kernels::KernelTable& table) const {
    return {table, gemm, batch.size()};
  }
  /// The product of matrix i of the output.
  Gemm at(Index i) const {
    Gemm out = gemm;
    out.a.data = io.inputs[0].as<float>() + batch_offset(a, batch, i);
    if (op.packed_k == 0) out.b.data = io.inputs[1].as<float>() + batch_offset(b, batch, i);
    const Index offset = i * out.m * out.n;
    out.c = io.outputs[0].as<float>() + offset;
    if (op.residual) out.epilogue.residual = io.inputs.back().as<float>() + offset;
    return out;
  }
  WorkSize work() const {
    const auto m = static_cast<double>(gemm.m), n = static_cast<double>(gemm.n),
               k = static_cast<double>(gemm.k), times = static_cast<double>(count());
    const double of_b = static_cast<double>(bit_width(op.weights)) / 8;
    return {2 * m * n * k * times, ((m * k + m * n) * sizeof(float) + k * n * of_b) * times};
  }
};

Products products_of(const MatMulKernel& op, const KernelIo& io) {
  const bool is_packed = op.packed_k != 0;
  const Span out = io.outputs[0].shape;
  Products all{op,
               io,
               operand_of(io.inputs[0].shape, op.perm_a),
               is_packed ? packed_operand(op) : operand_of(io.inputs[1].shape, op.perm_b),
               joins_rows(op) ? Span() : out.first(out.size() - 2),
               is_packed ? sweep_of(io) : Sweep::forward,
               {}};
  all.gemm = gemm_of(op, all.a, all.b);
  if (op.has_bias(io.inputs.size())) {
    all.gemm.epilogue.bias = io.inputs[2].as<float>();
    all.gemm.epilogue.bias_kind = kernels::BiasKind::per_column;
  }
  if (is_packed) all.gemm.packed_b = io.inputs[1].as<float>();
  all.gemm.epilogue.residual_stride = all.gemm.n;
  return all;
}

/// The matrices of a product, each cut into pieces along its rows or its columns.
struct Pieces {
  const Products& all;
  const kernels::KernelTable& table;
  Index row_step, column_step;
  bool by_rows;
  Index of_each = 1;

  Pieces(const Products& products, const kernels::KernelTable& kernels)
      : all(products),
        table(kernels),
        row_step(table.gemm_row_step(all.gemm.m)),
        column_step(table.gemm_column_step()),
        by_rows(all.gemm.m / row_step > all.gemm.n / column_step) {}

  Index most() const {
    const Index size = by_rows ? all.gemm.m : all.gemm.n, step = by_rows ? row_step : column_step;
    return (size + step - 1) / step;
  }
  /// Cuts the matrices so that `parts` parts have about the same work.
  void cut_for(std::size_t parts) {
    const auto wanted = static_cast<Index>(parts), count = all.count();
    const auto is_even = [&](Index pieces) { return pieces % wanted == 0 || pieces >= 4 * wanted; };
    while (of_each < most() && !is_even(count * of_each)) ++of_each;
  }
  void run(Index piece, RepeatedRight& right, std::byte* scratch) const {
    Gemm gemm = all.at(piece / of_each);
    right.pack(gemm, scratch);
    const auto own = [&](Index size, Index step) {
      return part_of(size, step, {piece % of_each, of_each});
    };
    if (by_rows)
      table.gemm(gemm, own(gemm.m, row_step), {0, gemm.n}, scratch);
    else
      sweep_columns(table, gemm, own(gemm.n, column_step), all.sweep, scratch);
  }
};

/// The constant right operand as a matrix; leading axes of size 1 are dropped if the left operand
/// has as many axes.
std::optional<Tensor> constant_matrix(const NodeView& node) {
  const Tensor* b = node.input_fact(1).constant();
  if (!b || b->size() == 0 || b->rank() > node.input_fact(0).shape.rank()) return std::nullopt;
  const std::size_t leading = b->rank() - 2;
  const Span shape = b->shape();
  if (product(shape.first(leading)) != 1) return std::nullopt;
  return b->reshaped(Shape(shape.begin() + static_cast<std::ptrdiff_t>(leading), shape.end()));
}

}  // namespace

std::size_t MatMulKernel::scratch_bytes(Facts in) const {
  const Shape a = *in[0].shape.concrete(), b = *in[1].shape.concrete();
  return RepeatedRight(kernels::kernels(isa), sized(*this, a, b), std::max(a.size(), b.size()) - 2)
      .scratch_bytes();
}

void MatMulKernel::run(const KernelIo& io) const {
  const Products all = products_of(*this, io);
  const kernels::KernelTable& table = kernels::kernels(isa);
  const Index count = all.count();
  if (may_share(io, all.work())) {
    Pieces pieces(all, table);
    std::size_t parts = parts_of(io, all.work(), count * pieces.most());
    // Each part rounds all of a.
    if (all.gemm.rounded) parts = std::min(parts, io.workers->usable(io.gain));
    pieces.cut_for(parts);
    const RepeatedRight of_part = all.repeated_right(table);
    return share(io, parts, of_part.scratch_bytes(), [&](Share share, std::byte* scratch) {
      RepeatedRight right = of_part;
      const auto own = part_of(count * pieces.of_each, 1, share);
      for (Index i = own.begin; i < own.end; ++i) pieces.run(i, right, scratch);
    });
  }
  RepeatedRight right = all.repeated_right(table);
  for (Index i = 0; i < count; ++i) {
    Gemm gemm = all.at(i);
    right.pack(gemm, io.scratch);
    sweep_columns(table, gemm, {0, gemm.n}, all.sweep, io.scratch);
  }
}

Tensor pack_right(const MatMul& op, const Tensor& b, Isa isa) {
  const RightMatrix m = right_matrix(op, b.shape());
  const kernels::KernelTable& table = kernels::kernels(isa);
  return packed_later(
      cat("right ", static_cast<int>(isa), ' ', op.transpose_b), b, table.packed_b_size(m.k, m.n),
      [&table, m](const Tensor& weights, float* packed) {
        const StoredBytes stored = stored_bytes(weights);  // packing can read unaligned weights
        const auto* floats = reinterpret_cast<const float*>(stored.bytes.data());
        table.pack_b({floats, m.along_k, m.along_n}, m.k, m.n, packed);
      });
}

/// MatMul on f32 -> MatMulKernel, with a constant b of rank 2 packed
Rewrite lower_matmul(const NodeView& node, const Target& target) {
  const MatMul* matmul = node.op().as<MatMul>();
  if (!matmul || !is_matrices(node.input_fact(0)) || !is_matrices(node.input_fact(1)))
    return no_change;
  MatMulKernel kernel{.op = *matmul, .isa = target.isa};
  const auto b = constant_matrix(node);
  if (!b) return replace(node, kernel, node.inputs());
  const RightMatrix matrix = right_matrix(*matmul, b->shape());
  kernel.packed_k = matrix.k;
  kernel.packed_n = matrix.n;
  Patch patch(node);
  const auto narrow = halves_worth_keeping(*b, node.output_fact().shape, target.isa);
  if (narrow) kernel.weights = narrow->dtype();
  const OutletId weights =
      patch.constant("packed", narrow ? pack_halves(*matmul, *narrow, target.isa)
                                      : pack_right(*matmul, *b, target.isa));
  patch.shunt(node.output(), patch.wire_one("", kernel, {node.input(0), weights}));
  return patch;
}

}  // namespace strata
