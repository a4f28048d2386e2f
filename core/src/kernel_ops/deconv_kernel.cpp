#include "kernel_ops/deconv_kernel.h"

#include <algorithm>

#include "kernel_ops/blocked_cost.h"
#include "kernel_ops/conv_kernel.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/packed_weights.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"

namespace strata {
namespace {

using kernels::ConvShape;

/// The padding before axis `i`, when the axis has `y` outputs of `x` inputs.
std::int64_t cut_before(const Deconv& op, std::size_t i, const AxisWindow& axis) {
  using Kind = Padding::Kind;
  const Kind kind = op.padding.kind;
  if (!op.output_shape && kind == Kind::valid) return 0;
  if (!op.output_shape && kind == Kind::fixed)
    return op.padding.amounts.empty() ? 0 : op.padding.amounts[i];
  const std::int64_t extra = op.output_padding.empty() ? 0 : op.output_padding[i];
  const std::int64_t full =
      axis.stride * (axis.out - 1) + axis.dilation * (axis.kernel - 1) + 1 + extra;
  const std::int64_t total = std::max<std::int64_t>(0, full - axis.in);
  return kind == Kind::same_upper ? total / 2 : total - total / 2;
}

/// `Call` with what all ways read alike.
template <class Call, class CallShape>
Call call_of(const DeconvKernel& kernel, const KernelIo& io, const CallShape& shape) {
  Call call;
  call.shape = shape;
  call.x = io.inputs[0].as<float>();
  call.packed_weights = io.inputs[1].as<float>();
  call.bias = io.inputs.size() > 2 ? io.inputs[2].as<float>() : nullptr;
  call.activation = kernel.activation.call();
  call.y = io.outputs[0].as<float>();
  return call;
}

}  // namespace

ConvShape DeconvKernel::shape(Span x, Span y) const {
  ConvShape shape;
  shape.batch = x[0];
  shape.groups = group;
  shape.in_channels = weights[1];
  shape.out_channels = weights[0] / group;
  const std::size_t count = weights.size() - 2;
  for (std::size_t i = 0; i < count; ++i) {
    AxisWindow axis{y[i + 2], weights[i + 2], x[i + 2], strides.empty() ? 1 : strides[i],
                    dilations.empty() ? 1 : dilations[i]};
    axis.before = cut_before(op(), i, axis);
    set_window_axis(shape.window, i, count, axis);
  }
  return shape;
}

Fact DeconvKernel::plane_input(const Fact& x) const {
  return input == kernels::Layout::planes ? x : planes_fact(x, weights[0]);
}

FactList DeconvKernel::output_facts(Facts in) const {
  check_arity(name, in, 2, 3);
  const Fact y = facts_unpacked(op(), plane_input(in[0]), weights)[0];
  return {output == kernels::Layout::planes ? y : blocked_fact(y)};
}

std::size_t DeconvKernel::scratch_bytes(Facts in) const {
  const Shape x = *in[0].shape.concrete(), y = *output_facts(in)[0].shape.concrete();
  const kernels::KernelTable& table = kernels::kernels(isa);
  return is_direct() ? table.deconv_scratch(shape(x, y))
                     : table.blocked_scratch(spread_shape(x, y));
}

void DeconvKernel::run(const KernelIo& io) const {
  const Span x = io.inputs[0].shape, y = io.outputs[0].shape;
  if (volume(y) == 0) return;
  const kernels::KernelTable& table = kernels::kernels(isa);
  if (is_direct()) {
    const auto call = call_of<kernels::Deconv>(*this, io, shape(x, y));
    return share_range(
        io, work_of(call.shape),
        {.n = table.deconv_tasks(call.shape), .scratch_bytes = table.deconv_scratch(call.shape)},
        [&](kernels::Range tasks, std::byte* scratch) { table.deconv(call, tasks, scratch); });
  }
  const auto call = call_of<kernels::BlockedConv>(*this, io, spread_shape(x, y));
  share_range(
      io, work_of(call.shape.conv),
      {.n = table.blocked_tasks(call.shape), .scratch_bytes = table.blocked_scratch(call.shape)},
      [&](kernels::Range tasks, std::byte* scratch) { table.blocked_conv(call, tasks, scratch); });
}

DeconvKernel DeconvKernel::of(const Deconv& op, const Shape& weights, Isa isa) {
  return {.strides = op.strides,
          .dilations = op.dilations,
          .padding = op.padding,
          .group = op.group,
          .output_padding = op.output_padding,
          .output_shape = op.output_shape,
          .weights = weights,
          .isa = isa};
}

Cost DeconvKernel::cost(Facts in, Facts out) const {
  const Fact y = output == kernels::Layout::planes ? out[0] : planes_fact(out[0], weights[1]);
  const Fact* results[] = {&y};
  return cost_unpacked(op(), plane_input(in[0]), weights, Facts(results));
}

std::string DeconvKernel::explain(Facts, Facts out) const {
  return KernelChoice{is_direct() ? "transposed convolution by phases of its strides"
                                  : "transposed convolution by Winograd, all phases at once",
                      largest_tile(isa, is_direct() ? "phases of channels by places"
                                                    : "places by phases of channels"),
                      vectors_of(isa),
                      explain_costs(winograd_work(op(), weights, out[0].shape), method)}
      .to_string();
}

/// Deconv on f32 -> DeconvKernel with packed weights
Rewrite lower_deconv(const NodeView& node, const Target& target) {
  const Deconv* deconv = node.op().as<Deconv>();
  const auto weights = deconv ? weights_shape(node, kMaxSpatialAxes) : std::nullopt;
  if (!weights) return no_change;
  return replace_packed(node, DeconvKernel::of(*deconv, *weights, target.isa),
                        PackWeights{.is_transposed = true,
                                    .strides = deconv->strides,
                                    .dilations = deconv->dilations,
                                    .group = deconv->group,
                                    .isa = target.isa});
}

}  // namespace strata
