#include "kernel_ops/softmax_kernel.h"

#include "kernel_ops/shared_work.h"
#include "strata/core/ops/softmax.h"

namespace strata {

FactList SoftmaxKernel::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  return {in[0].without_value()};
}

void SoftmaxKernel::run(const KernelIo& io) const {
  const Span shape = io.inputs[0].shape;
  const std::int64_t size = volume(shape), columns = shape.back();
  if (size == 0) return;
  share_range(io, work_on(2 * size, 15), size / columns, 1, [&](kernels::Range rows) {
    const std::int64_t at = rows.begin * columns;
    kernels::kernels(isa).softmax(io.inputs[0].as<float>() + at, io.outputs[0].as<float>() + at,
                                  rows.end - rows.begin, columns);
  });
}

/// Softmax of f32 over the last axis -> SoftmaxKernel
Rewrite lower_softmax(const NodeView& node, const Target& target) {
  const Softmax* softmax = node.op().as<Softmax>();
  if (!softmax || softmax->op != SoftmaxKind::softmax || softmax->axes.size() != 1 ||
      !is_f32(node.input_fact(0)))
    return no_change;
  const ShapeFact& shape = node.input_fact(0).shape;
  if (shape.is_open() || shape.rank() == 0 ||
      normalized_axis(softmax->axes[0], shape.rank()) + 1 != shape.rank())
    return no_change;
  return replace(node, SoftmaxKernel{target.isa}, node.inputs());
}

}  // namespace strata
