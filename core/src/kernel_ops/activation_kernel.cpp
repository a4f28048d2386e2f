#include "kernel_ops/activation_kernel.h"

#include "kernel_ops/computed_numbers.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "ops/activation_function.h"

namespace strata {

void ActivationKernel::run(const KernelIo& io) const {
  const TensorView& in = io.inputs[0];
  const ActivationFunction function = activation_function(op);
  visit_computed<double>(in.dtype, [&]<class T>(TypeTag<T>) {
    const T* x = in.as<T>();
    std::transform(x, x + volume(in.shape), io.outputs[0].as<T>(),
                   [&](T value) { return narrowed<T>(function(widened(value), alpha, beta)); });
  });
}

/// Activation on floats of 16 bits or more -> ActivationKernel
Rewrite lower_activation(const NodeView& node, const Target&) {
  const Activation* activation = node.op().as<Activation>();
  if (!activation || !moves_bytes(node) || !is_float(node.input_fact(0).dtype) ||
      !has_computed_numbers(node.input_fact(0).dtype))
    return no_change;
  return replace(node, ActivationKernel{activation->op, activation->alpha, activation->beta},
                 node.inputs());
}

}  // namespace strata
