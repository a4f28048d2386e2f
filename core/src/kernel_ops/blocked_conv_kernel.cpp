#include "kernel_ops/blocked_conv_kernel.h"

#include "kernel_ops/blocked_cost.h"
#include "kernel_ops/conv_kernel.h"
#include "kernel_ops/kernel_choice.h"

namespace strata {

Fact BlockedConvKernel::plane_input(const Fact& x) const {
  return input == kernels::Layout::planes ? x : planes_fact(x, weights[1] * group);
}

kernels::BlockedShape BlockedConvKernel::shape(Span x, Span y) const {
  // Weights lie slice by slice, so that a kernel of several must not be turned for some images
  // alone.
  const bool has_slices = weights.size() == 5 && weights[2] > 1;
  const kernels::ConvShape conv =
      has_slices ? plain_conv_shape(op(), weights, x, y) : conv_shape(op(), weights, x, y);
  return {conv, method, input, output, {}};
}

FactList BlockedConvKernel::output_facts(Facts in) const {
  check_arity(name, in, residual ? 3 : 2, residual ? 4 : 3);
  const Fact x = plane_input(in[0]), w = Fact::tensor(DatumType::f32, weights);
  const Fact* operands[] = {&x, &w};
  const Fact y = op().output_facts(Facts(operands))[0];
  return {output == kernels::Layout::planes ? y : blocked_fact(y)};
}

std::size_t BlockedConvKernel::scratch_bytes(Facts in) const {
  const Shape x = *in[0].shape.concrete(), y = *output_facts(in)[0].shape.concrete();
  return kernels::kernels(isa).blocked_scratch(shape(x, y));
}

void BlockedConvKernel::run(const KernelIo& io) const {
  const Span y = io.outputs[0].shape;
  if (volume(y) == 0) return;
  const std::size_t count = io.inputs.size();
  if (residual)
    check_data(volume(io.inputs[count - 1].shape) == volume(y), Span(io.inputs[count - 1].shape),
               " cannot be added to ", y);
  const kernels::BlockedConv conv{.shape = shape(io.inputs[0].shape, y),
                                  .x = io.inputs[0].as<float>(),
                                  .packed_weights = io.inputs[1].as<float>(),
                                  .bias = has_bias(count) ? io.inputs[2].as<float>() : nullptr,
                                  .residual = residual ? io.inputs[count - 1].as<float>() : nullptr,
                                  .activation = activation.call(),
                                  .y = io.outputs[0].as<float>()};
  const kernels::KernelTable& table = kernels::kernels(isa);
  share_range(
      io, work_of(conv.shape.conv),
      {.n = table.blocked_tasks(conv.shape), .scratch_bytes = table.blocked_scratch(conv.shape)},
      [&](kernels::Range tasks, std::byte* scratch) { table.blocked_conv(conv, tasks, scratch); });
}

Cost BlockedConvKernel::cost(Facts in, Facts out) const {
  const Fact x = plane_input(in[0]), w = Fact::tensor(DatumType::f32, weights);
  const Fact y = output == kernels::Layout::planes ? out[0] : planes_fact(out[0], weights[0]);
  const Fact* operands[] = {&x, &w};
  const Fact* results[] = {&y};
  return op().cost(Facts(operands), Facts(results));
}

std::string BlockedConvKernel::explain(Facts, Facts out) const {
  if (method == kernels::BlockedMethod::depthwise)
    return explain_vectors("depthwise convolution", isa, "vectors lie across channels");
  if (method == kernels::BlockedMethod::grouped)
    return explain_vectors("convolution of a few channels a group", isa,
                           "vectors lie across groups, and each lane takes its group's inputs");
  const bool is_direct = method == kernels::BlockedMethod::direct;
  return KernelChoice{is_direct ? "direct convolution" : "convolution by Winograd",
                      largest_tile(isa, "pixels by channels"), vectors_of(isa),
                      explain_costs(winograd_work(op(), weights, out[0].shape), method)}
      .to_string();
}

}  // namespace strata
