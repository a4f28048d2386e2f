#include "kernel_ops/matmul_kernel.h"
#include "kernel_ops/transposition.h"

namespace strata {

/// MatMulKernel(.., Transpose(x)) -> MatMulKernel(.., x) that steps through x in that order, where
/// the elements of a row or a column stay neighbours
Rewrite absorb_transpose(const NodeView& node, const Target&) {
  const MatMulKernel* matmul = node.op().as<MatMulKernel>();
  if (!matmul) return no_change;
  for (const std::size_t i : {0, 1}) {
    const auto perm = transposed_by(node, i);
    if (!perm || (i == 1 && matmul->packed_k != 0) || !node.sole_reader(node.input(i))) continue;
    if (!(i == 0 ? matmul->perm_a : matmul->perm_b).empty() || !keeps_lines(*perm)) continue;
    MatMulKernel strided = *matmul;
    (i == 0 ? strided.perm_a : strided.perm_b) = *perm;
    OutletIds inputs = node.inputs();
    inputs[i] = node.producer(i).input(0);
    return replace(node, strided, inputs);
  }
  return no_change;
}

}  // namespace strata
