#include "kernel_ops/transpose_kernel.h"

#include "kernel_ops/movement.h"
#include "strata/core/ops/transpose.h"

namespace strata {

FactList TransposeKernel::output_facts(Facts in) const { return Transpose{perm}.output_facts(in); }

void TransposeKernel::run(const KernelIo& io) const {
  const TensorView& data = io.inputs[0];
  const Span from = data.shape;
  AxisNumbers step;
  std::int64_t from_step = width_of(data), to_step = from_step;
  kernels::StridedCopy copy(static_cast<std::size_t>(from_step));
  for (std::size_t axis = from.size(); axis-- > 0;) {
    step.of[axis] = from_step;
    from_step *= from[axis];
  }
  for (std::size_t i = from.size(); i-- > 0;) {
    const std::size_t axis = perm.empty() ? from.size() - 1 - i : static_cast<std::size_t>(perm[i]);
    copy.add_outer(from[axis], step.of[axis], to_step);
    to_step *= from[axis];
  }
  run_copy(io, copy, data.data, io.outputs[0].data);
}

/// Transpose -> TransposeKernel
Rewrite lower_transpose(const NodeView& node, const Target&) {
  const Transpose* transpose = node.op().as<Transpose>();
  if (!transpose || !moves_bytes(node)) return no_change;
  return replace(node, TransposeKernel{transpose->perm}, node.inputs());
}

}  // namespace strata
