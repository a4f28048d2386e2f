#include "kernel_ops/view_kernel.h"

#include <cstring>

#include "strata/core/ops/reshape.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata {

FactList ViewKernel::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  return {Fact::tensor(dtype, shape)};
}

void ViewKernel::run(const KernelIo& io) const noexcept {
  if (io.inputs[0].data == io.outputs[0].data) return;
  std::memcpy(io.outputs[0].data, io.inputs[0].data,
              static_cast<std::size_t>(volume(shape)) * bit_width(dtype) / 8);
}

/// Reshape, Squeeze or Unsqueeze between fixed shapes -> ViewKernel
Rewrite lower_reshape(const NodeView& node, const Target&) {
  if (!node.op().as<Reshape>() && !node.op().as<Squeeze>() && !node.op().as<Unsqueeze>())
    return no_change;
  const Fact &in = node.input_fact(0), &out = node.output_fact();
  const auto shape = out.shape.concrete();
  if (!shape || !in.shape.concrete() || bit_width(in.dtype) < 8) return no_change;
  return replace(node, ViewKernel{in.dtype, *shape}, {node.input(0)});
}

}  // namespace strata
