#include "kernel_ops/gather_kernel.h"

#include "kernel_ops/movement.h"
#include "ops/movement.h"
#include "strata/core/ops/gather.h"

namespace strata {

FactList GatherKernel::output_facts(Facts in) const { return Gather{axis}.output_facts(in); }

void GatherKernel::run(const KernelIo& io) const {
  const TensorView &data = io.inputs[0], &indices = io.inputs[1];
  const Span from = data.shape;
  const std::size_t at = axis_from_start(axis, from.size());
  const std::int64_t extent = from[at], outer = volume(from.first(at)),
                     run = volume(from.subspan(at + 1)) * width_of(data);
  const std::int64_t count = volume(indices.shape);
  std::byte* to = io.outputs[0].data;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t index =
        checked_index(integer_at(indices, static_cast<std::size_t>(i)), extent);
    if (outer == 1) {
      kernels::copy_bytes(to + i * run, data.data + index * run, static_cast<std::size_t>(run));
    } else if (outer > 0 && run > 0) {
      kernels::StridedCopy copy(static_cast<std::size_t>(run));
      copy.add_outer(outer, extent * run, count * run);
      copy.run(data.data + index * run, to + i * run);
    }
  }
}

/// Gather by i32 or i64 indices -> GatherKernel
Rewrite lower_gather(const NodeView& node, const Target&) {
  const Gather* gather = node.op().as<Gather>();
  if (!gather || !moves_bytes(node) || !is_index(node.input_fact(1))) return no_change;
  return replace(node, GatherKernel{gather->axis}, node.inputs());
}

}  // namespace strata
