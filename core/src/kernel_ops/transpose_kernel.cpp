#include "kernel_ops/transpose_kernel.h"

#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/transpose.h"

namespace strata {

namespace {

/// Of elements of `width` bytes.
kernels::StridedCopy copy_of(Span from, const std::vector<std::int64_t>& perm,
                             std::int64_t width) noexcept {
  AxisNumbers step;
  std::int64_t from_step = width, to_step = width;
  kernels::StridedCopy copy(static_cast<std::size_t>(width));
  for (std::size_t axis = from.size(); axis-- > 0;) {
    step.of[axis] = from_step;
    from_step *= from[axis];
  }
  for (std::size_t i = from.size(); i-- > 0;) {
    const std::size_t axis = perm.empty() ? from.size() - 1 - i : static_cast<std::size_t>(perm[i]);
    copy.add_outer(from[axis], step.of[axis], to_step);
    to_step *= from[axis];
  }
  return copy;
}

}  // namespace

FactList TransposeKernel::output_facts(Facts in) const { return Transpose{perm}.output_facts(in); }

void TransposeKernel::run(const KernelIo& io) const {
  const TensorView& data = io.inputs[0];
  run_copy(io, copy_of(data.shape, perm, width_of(data)), data.data, io.outputs[0].data);
}

std::string TransposeKernel::explain(Facts in, Facts) const {
  const auto shape = in[0].shape.concrete();
  if (!shape) return std::string(kAnyCopy);
  const std::int64_t width = static_cast<std::int64_t>(bit_width(in[0].dtype) / 8),
                     run = copy_of(*shape, perm, width).run_bytes();
  if (run > width) return cat("copy, runs of ", run, " bytes: inner axes stay where they are");
  return cat("copy, planes of elements of ", width,
             " bytes: no axis stays innermost, so squares are turned in registers");
}

/// Transpose -> TransposeKernel
Rewrite lower_transpose(const NodeView& node, const Target&) {
  const Transpose* transpose = node.op().as<Transpose>();
  if (!transpose || !moves_bytes(node)) return no_change;
  return replace(node, TransposeKernel{transpose->perm}, node.inputs());
}

}  // namespace strata
