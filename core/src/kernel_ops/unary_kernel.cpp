#include "kernel_ops/unary_kernel.h"

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"

namespace strata {

FactList UnaryKernel::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  return {in[0].without_value()};
}

void UnaryKernel::run(const KernelIo& io) const {
  const std::int64_t size = volume(io.inputs[0].shape);
  check_data(size == volume(io.outputs[0].shape), "the output is ", Span(io.outputs[0].shape),
             ", the input ", Span(io.inputs[0].shape));
  share_range(io, work_on(2 * size, 10), size, kElementStep, [&](kernels::Range part) {
    kernels::kernels(isa).unary(function.call(), io.inputs[0].as<float>() + part.begin,
                                io.outputs[0].as<float>() + part.begin, part.end - part.begin);
  });
}

std::string UnaryKernel::explain(Facts, Facts) const {
  const bool rounds =
      function.op == kernels::Unary::to_f16 || function.op == kernels::Unary::to_bf16;
  return explain_vectors(rounds ? "rounding to 16 bits" : "function of elements", isa);
}

/// Unary or Activation on f32 -> UnaryKernel
Rewrite lower_unary(const NodeView& node, const Target& target) {
  const auto function = kernel_function(node.op());
  if (!function || !is_f32(node.input_fact(0)) || node.op().as<UnaryKernel>()) return no_change;
  return replace(node, UnaryKernel{*function, target.isa}, node.inputs());
}

}  // namespace strata
