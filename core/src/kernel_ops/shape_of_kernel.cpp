#include "kernel_ops/shape_of_kernel.h"

#include <algorithm>

#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"

namespace strata {

void ShapeOfKernel::run(const KernelIo& io) const {
  const Span shape = io.inputs[0].shape;
  std::copy(shape.begin() + begin, shape.begin() + end, io.outputs[0].as<std::int64_t>());
}

/// ShapeOf a tensor of a known rank -> ShapeOfKernel
Rewrite lower_shape_of(const NodeView& node, const Target&) {
  const ShapeOf* shape_of = node.op().as<ShapeOf>();
  if (!shape_of || !moves_bytes(node)) return no_change;
  const auto rank = static_cast<std::int64_t>(node.input_fact(0).shape.rank());
  const auto from_start = [&](std::int64_t axis) {
    return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  const std::int64_t begin = from_start(shape_of->start),
                     end = shape_of->end ? from_start(*shape_of->end) : rank;
  return replace(node, ShapeOfKernel{begin, std::max(begin, end)}, node.inputs());
}

}  // namespace strata
