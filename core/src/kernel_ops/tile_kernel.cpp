#include "kernel_ops/tile_kernel.h"

#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/tile.h"

namespace strata {

FactList TileKernel::output_facts(Facts in) const { return Tile{}.output_facts(in); }

void TileKernel::run(const KernelIo& io) const {
  const TensorView& data = io.inputs[0];
  const Span from = data.shape, to = io.outputs[0].shape;
  std::int64_t from_step = width_of(data), to_step = from_step;
  kernels::StridedCopy copy(static_cast<std::size_t>(from_step));
  static_assert(kernels::StridedCopy::kMaxAxes >= 2 * kMaxKernelRank);
  for (std::size_t axis = from.size(); axis-- > 0;) {
    const std::int64_t repeats = integer_at(io.inputs[1], axis);
    check_data(repeats >= 0, "(C2) ", repeats, " repeats of axis ", axis);
    check_size(from[axis] == 0 ? 0 : repeats > to[axis] ? -1 : repeats * from[axis], to, axis);
    copy.add_outer(from[axis], from_step, to_step);
    from_step *= from[axis];
    to_step *= from[axis];
    copy.add_outer(repeats, 0, to_step);
    to_step *= repeats;
  }
  run_copy(io, copy, data.data, io.outputs[0].data);
}

std::string TileKernel::explain(Facts, Facts) const { return std::string(kAnyCopy); }

/// Tile -> TileKernel
Rewrite lower_tile(const NodeView& node, const Target&) {
  if (!node.op().as<Tile>() || !moves_bytes(node) || !is_index(node.input_fact(1)) ||
      !node.input_fact(1).shape.concrete())
    return no_change;
  return replace(node, TileKernel{}, node.inputs());
}

}  // namespace strata
