#include "kernel_ops/softmax_kernel.h"

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/lane_blocks.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "strata/core/ops/softmax.h"

namespace strata {

FactList SoftmaxKernel::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  return {in[0].without_value()};
}

std::string SoftmaxKernel::explain(Facts in, Facts) const {
  const auto shape = in[0].shape.concrete();
  if (!shape) return explain_vectors("softmax", isa);
  const LaneBlocks lanes(*shape, axis_from_start(axis, shape->size()));
  const auto turns_rows = kernels::kernels(isa).turns_rows;
  if (lanes.inner == 1 && turns_rows(kernels::RowWork::softmax, lanes.outer, lanes.length))
    return explain_turned("softmax", isa);
  return explain_axis("softmax", isa, lanes.inner);
}

void SoftmaxKernel::run(const KernelIo& io) const {
  const Span shape = io.inputs[0].shape;
  const LaneBlocks lanes(shape, axis_from_start(axis, shape.size()));
  const std::int64_t size = volume(shape);
  if (size == 0) return;
  const float* x = io.inputs[0].as<float>();
  float* y = io.outputs[0].as<float>();
  const kernels::KernelTable& table = kernels::kernels(isa);
  const WorkSize work = work_on(2 * size, 15);
  if (lanes.inner == 1)
    return share_range(io, work, lanes.outer, 1, [&](kernels::Range rows) {
      const std::int64_t at = rows.begin * lanes.length;
      table.softmax(form, x + at, y + at, rows.end - rows.begin, lanes.length);
    });
  share_rows(io, work, lanes.outer, lanes.inner, [&](std::int64_t o, kernels::Range columns) {
    const std::int64_t at = o * lanes.length * lanes.inner + columns.begin;
    table.softmax_columns(form, {x + at, lanes.inner, 1}, y + at, lanes.length,
                          columns.end - columns.begin);
  });
}

/// Softmax or LogSoftmax of f32 along one axis -> SoftmaxKernel
Rewrite lower_softmax(const NodeView& node, const Target& target) {
  const Softmax* softmax = node.op().as<Softmax>();
  if (!softmax || softmax->op == SoftmaxKind::hardmax || softmax->axes.size() != 1 ||
      !is_f32(node.input_fact(0)))
    return no_change;
  const ShapeFact& shape = node.input_fact(0).shape;
  if (shape.is_open() || shape.rank() == 0) return no_change;
  const auto form = softmax->op == SoftmaxKind::softmax ? kernels::SoftmaxForm::plain
                                                        : kernels::SoftmaxForm::logarithm;
  return replace(node, SoftmaxKernel{form, softmax->axes[0], target.isa}, node.inputs());
}

}  // namespace strata
