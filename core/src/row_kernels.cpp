#include "kernel_ops/activation_kernel.h"
#include "kernel_ops/binary_kernel.h"
#include "kernel_ops/fused_elementwise.h"
#include "kernel_ops/matmul_kernel.h"
#include "kernel_ops/unary_kernel.h"
#include "wavefront.h"

namespace strata {
namespace {

bool is_elementwise_kernel(const TypedOp& op) {
  return op.as<UnaryKernel>() || op.as<BinaryKernel>() || op.as<FusedElementwise>() ||
         op.as<ActivationKernel>();
}

/// Whether an operand has the rows of the output, rather than being the same for all.
bool has_rows(const Shape& operand, const Shape& out) {
  return operand.size() == out.size() && operand[0] == out[0];
}

}  // namespace

std::optional<std::vector<bool>> row_inputs(const FrameStep& step) {
  if (step.outputs.size() != 1 || step.outputs[0].shape.empty()) return std::nullopt;
  const Shape& out = step.outputs[0].shape;
  const TypedOp& op = step.node->op;
  std::vector<bool> rows(step.inputs.size(), false);
  if (const MatMulKernel* matmul = op.as<MatMulKernel>()) {
    if (matmul->packed_k == 0 || matmul->has_narrow_weights() || matmul->op.transpose_a ||
        !matmul->perm_a.empty() || !has_rows(step.inputs[0].shape, out))
      return std::nullopt;
    rows[0] = true;
    if (matmul->residual) rows.back() = true;
    return rows;
  }
  if (!is_elementwise_kernel(op)) return std::nullopt;
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = has_rows(step.inputs[i].shape, out);
  return rows;
}

}  // namespace strata
