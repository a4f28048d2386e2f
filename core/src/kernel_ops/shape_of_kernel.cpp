#include "kernel_ops/shape_of_kernel.h"

#include <algorithm>

#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/size_of.h"

namespace strata {

FactList ShapeOfKernel::output_facts(Facts in) const {
  return multiplied ? SizeOf{}.output_facts(in) : ShapeOf{begin, end}.output_facts(in);
}

void ShapeOfKernel::run(const KernelIo& io) const {
  const Span shape = io.inputs[0].shape;
  std::int64_t* to = io.outputs[0].as<std::int64_t>();
  if (multiplied)
    *to = volume(shape);
  else
    std::copy(shape.begin() + begin, shape.begin() + end, to);
}

/// ShapeOf or SizeOf a tensor of a known rank -> ShapeOfKernel
Rewrite lower_shape_of(const NodeView& node, const Target&) {
  const ShapeOf* shape_of = node.op().as<ShapeOf>();
  if (!(shape_of || node.op().as<SizeOf>()) || !moves_bytes(node)) return no_change;
  const auto rank = static_cast<std::int64_t>(node.input_fact(0).shape.rank());
  if (!shape_of) return replace(node, ShapeOfKernel{0, rank, true}, node.inputs());
  const auto from_start = [&](std::int64_t axis) {
    return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  const std::int64_t begin = from_start(shape_of->start),
                     end = shape_of->end ? from_start(*shape_of->end) : rank;
  return replace(node, ShapeOfKernel{begin, std::max(begin, end)}, node.inputs());
}

}  // namespace strata
