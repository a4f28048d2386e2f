#include "kernel_ops/double_matmul_kernel.h"

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"

namespace strata {
namespace {

/// Threads share rows or columns, cut at multiples of this, which is a whole number of tiles.
constexpr std::int64_t kStep = 48;

/// The product of the matrices that the operands hold first.
kernels::GemmDoubles product_of(const DoubleMatMulKernel& op, const MatMulGeometry& sizes,
                                const KernelIo& io) {
  const auto steps = [](bool is_transposed, std::int64_t rows, std::int64_t columns) {
    return is_transposed ? std::pair{std::int64_t{1}, rows} : std::pair{columns, std::int64_t{1}};
  };
  const auto rank = [&](std::size_t i) { return io.inputs[i].shape.size(); };
  const auto [a_row, a_column] = steps(op.transpose_a && rank(0) > 1, sizes.m, sizes.k);
  const auto [b_row, b_column] = steps(op.transpose_b && rank(1) > 1, sizes.k, sizes.n);
  return {.a = io.inputs[0].as<double>(),
          .a_row = a_row,
          .a_column = a_column,
          .b = io.inputs[1].as<double>(),
          .b_row = b_row,
          .b_column = b_column,
          .c = io.outputs[0].as<double>(),
          .n = sizes.n,
          .k = sizes.k,
          .m = sizes.m};
}

}  // namespace

std::size_t DoubleMatMulKernel::scratch_bytes(Facts) const {
  return kernels::kernels(isa).gemm_doubles_scratch();
}

void DoubleMatMulKernel::run(const KernelIo& io) const {
  const kernels::KernelTable& table = kernels::kernels(isa);
  const Shape &a = io.inputs[0].shape, &b = io.inputs[1].shape;
  const MatMulGeometry sizes = matmul_geometry(*this, a, b);
  const auto lead = [](const Shape& s) { return Span(s).first(s.size() < 2 ? 0 : s.size() - 2); };
  const bool by_rows = 4 * sizes.m > sizes.n;  // columns are packed in less time
  const std::int64_t lines = by_rows ? sizes.m : sizes.n, size = sizes.m * sizes.n;
  kernels::GemmDoubles product = product_of(*this, sizes, io);
  const double *first_a = product.a, *first_b = product.b;
  const WorkSize work{4 * static_cast<double>(size) * static_cast<double>(sizes.k),
                      sizeof(double) * static_cast<double>(size)};
  const Cuts cuts{.n = lines, .step = kStep, .scratch_bytes = table.gemm_doubles_scratch()};
  for_each_broadcast(sizes.batch, lead(a), lead(b), [&](std::int64_t at_a, std::int64_t at_b) {
    product.a = first_a + at_a * sizes.m * sizes.k;
    product.b = first_b + at_b * sizes.k * sizes.n;
    share_range(io, work, cuts, [&](kernels::Range own, std::byte* scratch) {
      table.gemm_doubles(product, by_rows ? own : kernels::Range{0, sizes.m},
                         by_rows ? kernels::Range{0, sizes.n} : own, scratch);
    });
    product.c += size;
  });
}

std::string DoubleMatMulKernel::explain(Facts, Facts) const {
  return explain_vectors("product of doubles", isa);
}

/// MatMul of f64 -> DoubleMatMulKernel
Rewrite lower_double_matmul(const NodeView& node, const Target& target) {
  const MatMul* product = node.op().as<MatMul>();
  if (!product || node.output_fact().dtype != DatumType::f64) return no_change;
  return replace(node, DoubleMatMulKernel{{*product}, target.isa}, node.inputs());
}

}  // namespace strata
