#include "kernel_ops/gather_elements_kernel.h"

#include "kernel_ops/movement.h"
#include "ops/movement.h"
#include "strata/core/ops/gather_elements.h"

namespace strata {

FactList GatherElementsKernel::output_facts(Facts in) const {
  return GatherElements{axis}.output_facts(in);
}

void GatherElementsKernel::run(const KernelIo& io) const {
  const TensorView &data = io.inputs[0], &indices = io.inputs[1];
  const Span from = data.shape, to = indices.shape;
  const std::size_t at = axis_from_start(axis, from.size());
  AxisNumbers step, place;
  const std::int64_t width = width_of(data);
  std::int64_t from_step = width;
  for (std::size_t i = from.size(); i-- > 0;) {
    check_data(i == at || to[i] <= from[i], "(C3) indices of shape ", to, " leave data of ", from);
    step.of[i] = from_step, place.of[i] = 0;
    from_step *= from[i];
  }
  const std::int64_t pick_step = std::exchange(step.of[at], 0), count = volume(to);
  const std::byte* row = data.data;
  std::byte* out = io.outputs[0].data;
  for (std::int64_t n = 0; n < count; ++n, out += width) {
    const std::int64_t index =
        checked_index(integer_at(indices, static_cast<std::size_t>(n)), from[at]);
    kernels::copy_bytes(out, row + index * pick_step, static_cast<std::size_t>(width));
    for (std::size_t i = to.size(); i-- > 0;) {
      row += step.of[i];
      if (++place.of[i] < to[i]) break;
      row -= step.of[i] * to[i];
      place.of[i] = 0;
    }
  }
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
