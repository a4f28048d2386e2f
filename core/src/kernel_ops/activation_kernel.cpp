#include "kernel_ops/activation_kernel.h"

#include "kernel_ops/movement.h"
#include "ops/activation_function.h"
#include "ops/number_kinds.h"

namespace strata {

void ActivationKernel::run(const KernelIo& io) const {
  const TensorView& in = io.inputs[0];
  const ActivationFunction function = activation_function(op);
  visit_kind<double>(in.dtype, [&]<class T>(TypeTag<T>) {
    const T* x = in.as<T>();
    std::transform(x, x + volume(in.shape), io.outputs[0].as<T>(),
                   [&](T value) { return narrowed<T>(function(widened(value), alpha, beta)); });
  });
}

/// Activation on floats -> ActivationKernel
Rewrite lower_activation(const NodeView& node, const Target&) {
  const Activation* activation = node.op().as<Activation>();
  if (!activation || !moves_bytes(node) || !is_float(node.input_fact(0).dtype)) return no_change;
  return replace(node, ActivationKernel{activation->op, activation->alpha, activation->beta},
                 node.inputs());
}

}  // namespace strata
