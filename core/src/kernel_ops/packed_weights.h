#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/patch.h"

/// What kernels have in common that read x and packed weights in place of an op's own: these have a
/// shape that only the kernel knows.
namespace strata {

/// The facts of `op` on x and f32 weights of this shape.
template <class Op>
FactList facts_unpacked(const Op& op, const Fact& x, const Shape& weights) {
  const Fact w = Fact::tensor(DatumType::f32, weights);
  const Fact* operands[] = {&x, &w};
  return op.output_facts(Facts(operands));
}

template <class Op>
Cost cost_unpacked(const Op& op, const Fact& x, const Shape& weights, Facts out) {
  const Fact w = Fact::tensor(DatumType::f32, weights);
  const Fact* operands[] = {&x, &w};
  return op.cost(Facts(operands), out);
}

/// The constant weights of a convolution, or of its transpose, of f32 along one to `most_axes` axes;
/// null for any other.
inline const Tensor* weights_to_pack(const NodeView& node, std::size_t most_axes) {
  if (!is_f32(node.input_fact(0)) || node.input_fact(0).shape.is_open()) return nullptr;
  const Tensor* weights = node.input_fact(1).constant();
  const bool fits =
      weights && weights->size() > 0 && weights->rank() >= 3 && weights->rank() <= 2 + most_axes;
  return fits ? weights : nullptr;
}

/// The kernel in place of the node, with packed weights in place of its input 1.
template <class Kernel>
Rewrite replace_packed(const NodeView& node, const Kernel& kernel, const Tensor& packed) {
  Patch patch(node);
  OutletIds inputs = node.inputs();
  inputs[1] = patch.constant("packed", packed);
  patch.shunt(node.output(), patch.wire_one("", kernel, inputs));
  return patch;
}

}  // namespace strata
