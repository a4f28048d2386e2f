#include "kernel_ops/gather_elements_kernel.h"

#include "kernel_ops/movement.h"
#include "kernel_ops/shared_work.h"
#include "ops/movement.h"
#include "strata/core/ops/gather_elements.h"

namespace strata {
namespace {

/// Elements picked row by row, along the last axis of the indices. Steps are those of the data, in
/// bytes; along the axis of the picks that is `pick_step`, and 0 in `step`.
struct PickedRows {
  std::int64_t width, extent;
  std::size_t rank;
  std::int64_t pick_step = 0;
  AxisNumbers step = {};

  /// Where row `row` of the indices begins in the data, but for the picks.
  std::int64_t start_of(std::int64_t row, Span shape) const {
    std::int64_t start = 0;
    for (std::size_t i = rank - 1; i-- > 0; row /= shape[i]) start += row % shape[i] * step.of[i];
    return start;
  }

  void copy(const KernelIo& io, kernels::Range part) const {
    const TensorView& indices = io.inputs[1];
    const std::int64_t length = indices.shape.back(), column_step = step.of[rank - 1];
    for (std::int64_t row = part.begin; row < part.end; ++row) {
      const std::byte* from = io.inputs[0].data + start_of(row, indices.shape);
      std::byte* to = io.outputs[0].data + row * length * width;
      for (std::int64_t i = 0; i < length; ++i, from += column_step, to += width) {
        const std::int64_t picked = integer_at(indices, static_cast<std::size_t>(row * length + i));
        kernels::copy_bytes(to, from + checked_index(picked, extent) * pick_step,
                            static_cast<std::size_t>(width));
      }
    }
  }
};

}  // namespace

FactList GatherElementsKernel::output_facts(Facts in) const {
  return GatherElements{axis}.output_facts(in);
}

void GatherElementsKernel::run(const KernelIo& io) const {
  const TensorView& data = io.inputs[0];
  const Span from = data.shape, to = io.inputs[1].shape;
  const std::size_t at = axis_from_start(axis, from.size());
  PickedRows rows{.width = width_of(data), .extent = from[at], .rank = to.size()};
  std::int64_t from_step = rows.width;
  for (std::size_t i = from.size(); i-- > 0;) {
    check_data(i == at || to[i] <= from[i], "(C3) indices of shape ", to, " leave data of ", from);
    rows.step.of[i] = from_step;
    from_step *= from[i];
  }
  rows.pick_step = std::exchange(rows.step.of[at], 0);
  const std::int64_t count = volume(to);
  if (count == 0) return;
  const WorkSize work = work_on(2 * count, 10);
  share_range(io, work, count / to.back(), 1, [&](kernels::Range part) { rows.copy(io, part); });
}

std::string GatherElementsKernel::explain(Facts, Facts) const {
  return "gather, element by element";
}

/// GatherElements by i32 or i64 indices -> GatherElementsKernel
Rewrite lower_gather_elements(const NodeView& node, const Target&) {
  const GatherElements* gather = node.op().as<GatherElements>();
  if (!gather || !moves_bytes(node) || !is_index(node.input_fact(1)) ||
      node.input_fact(0).shape.rank() != node.input_fact(1).shape.rank())
    return no_change;
  return replace(node, GatherElementsKernel{gather->axis}, node.inputs());
}

}  // namespace strata
