#include "kernel_ops/conv_kernel.h"

#include <algorithm>

#include "kernel_ops/blocked_conv_kernel.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/packed_weights.h"
#include "kernel_ops/rules.h"

namespace strata {

using kernels::ConvShape;

namespace {

/// An image of one column lies in memory as one of one row, along which kernels go; those that read
/// planes do so where the row's dilation is 1.
void turn_column(kernels::Window& w) {
  const bool is_column = w.in[2] == 1 && w.out[2] == 1 && w.kernel[2] == 1 && w.pad[2] == 0;
  if (!is_column || w.dilation[1] != 1) return;
  const auto shift = [](kernels::Index(&axes)[kMaxSpatialAxes], kernels::Index first) {
    axes[2] = axes[1];
    axes[1] = axes[0];
    axes[0] = first;
  };
  for (auto* axes : {&w.in, &w.out, &w.kernel, &w.stride, &w.dilation}) shift(*axes, 1);
  shift(w.pad, 0);
}

}  // namespace

ConvShape plain_conv_shape(const Conv& op, Span weights, Span x, Span y) {
  ConvShape shape;
  shape.batch = x[0];
  shape.groups = op.group;
  shape.in_channels = weights[1];
  shape.out_channels = weights[0] / op.group;
  const std::size_t count = weights.size() - 2;
  for (std::size_t i = 0; i < count; ++i) {
    AxisWindow axis{x[i + 2], weights[i + 2], y[i + 2], op.strides.empty() ? 1 : op.strides[i],
                    op.dilations.empty() ? 1 : op.dilations[i]};
    axis.before = padding_before(op.padding, i, axis);
    set_window_axis(shape.window, i, count, axis);
  }
  return shape;
}

ConvShape conv_shape(const Conv& op, Span weights, Span x, Span y) {
  ConvShape shape = plain_conv_shape(op, weights, x, y);
  turn_column(shape.window);
  return shape;
}

WorkSize work_of(const ConvShape& shape) noexcept {
  double taps = 1, in = 1, out = 1;
  for (std::size_t i = 0; i < kMaxSpatialAxes; ++i) {
    taps *= static_cast<double>(shape.window.kernel[i]);
    in *= static_cast<double>(shape.window.in[i]);
    out *= static_cast<double>(shape.window.out[i]);
  }
  const auto images = static_cast<double>(shape.batch * shape.groups),
             from = static_cast<double>(shape.in_channels),
             to = static_cast<double>(shape.out_channels);
  return {2 * images * out * to * from * taps, images * (from * in + to * out) * sizeof(float)};
}

std::int64_t padding_before(const Padding& padding, std::size_t i,
                            const AxisWindow& axis) noexcept {
  if (padding.kind == Padding::Kind::valid) return 0;
  if (padding.kind == Padding::Kind::fixed) return padding.amounts.empty() ? 0 : padding.amounts[i];
  const std::int64_t total = std::max<std::int64_t>(
      0, (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1 - axis.in);
  return padding.kind == Padding::Kind::same_upper ? total / 2 : total - total / 2;
}

void set_window_axis(kernels::Window& window, std::size_t i, std::size_t count,
                     const AxisWindow& axis) noexcept {
  const std::size_t at = kMaxSpatialAxes - count + i;
  window.in[at] = axis.in;
  window.out[at] = axis.out;
  window.kernel[at] = axis.kernel;
  window.stride[at] = axis.stride;
  window.dilation[at] = axis.kernel == 1 ? 1 : axis.dilation;  // one tap is none apart from another
  window.pad[at] = axis.before;
}

FactList ConvKernel::output_facts(Facts in) const {
  check_arity(name, in, 2, 3);
  return facts_unpacked(op(), in[0], weights);
}

std::size_t ConvKernel::scratch_bytes(Facts in) const {
  const Shape x = *in[0].shape.concrete(), out = *output_facts(in)[0].shape.concrete();
  return kernels::kernels(isa).conv_scratch(conv_shape(op(), weights, x, out));
}

void ConvKernel::run(const KernelIo& io) const {
  if (volume(io.outputs[0].shape) == 0) return;
  const kernels::Conv conv{
      .shape = conv_shape(op(), weights, io.inputs[0].shape, io.outputs[0].shape),
      .x = io.inputs[0].as<float>(),
      .packed_weights = io.inputs[1].as<float>(),
      .bias = io.inputs.size() > 2 ? io.inputs[2].as<float>() : nullptr,
      .activation = activation.call(),
      .y = io.outputs[0].as<float>()};
  const kernels::KernelTable& table = kernels::kernels(isa);
  share_range(io, work_of(conv.shape),
              {.n = table.conv_tasks(conv.shape), .scratch_bytes = table.conv_scratch(conv.shape)},
              [&](kernels::Range tasks, std::byte* scratch) { table.conv(conv, tasks, scratch); });
}

Cost ConvKernel::cost(Facts in, Facts out) const {
  return cost_unpacked(op(), in[0], weights, out);
}

std::string ConvKernel::explain(Facts in, Facts out) const {
  const auto x = in[0].shape.concrete(), y = out[0].shape.concrete();
  if (!x || !y) return explain_product(isa);
  const kernels::KernelTable& table = kernels::kernels(isa);
  const kernels::ConvShape shape = conv_shape(op(), weights, *x, *y);
  switch (table.conv_way(shape)) {
    case kernels::ConvWay::depthwise:
      return explain_vectors("depthwise convolution of planes", isa,
                             "vectors lie along rows; coming to blocks and back would cost more");
    case kernels::ConvWay::few_pixels:
      return explain_vectors("convolution to few pixels", isa,
                             "vectors lie across channels; those of pixels would be mostly empty");
    case kernels::ConvWay::tiles:
      break;
  }
  return KernelChoice{
      "convolution of planes",
      tile_text(table.gemm_row_step(shape.out_channels), table.gemm_column_step(),
                "channels by pixels"),
      vectors_of(isa),
      fits_blocks(op(), weights, isa)
          ? "one tap and no other convolution near, so coming to blocks and back would cost more"
          : "its channels, groups or axes do not fill blocks"}
      .to_string();
}

/// Conv on f32 -> ConvKernel with packed weights
Rewrite lower_conv(const NodeView& node, const Target& target) {
  const Conv* conv = node.op().as<Conv>();
  const auto weights = conv ? weights_shape(node, kMaxSpatialAxes) : std::nullopt;
  if (!weights) return no_change;
  const ConvKernel kernel{conv->strides, conv->dilations, conv->padding, conv->group, *weights, {},
                          target.isa};
  return replace_packed(node, kernel, PackWeights{.group = conv->group, .isa = target.isa});
}

}  // namespace strata
