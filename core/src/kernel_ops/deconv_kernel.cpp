#include "kernel_ops/deconv_kernel.h"

#include <algorithm>

#include "kernel_ops/conv_kernel.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/packed_later.h"
#include "kernel_ops/packed_weights.h"
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
  return kind == Kind::same_lower ? total - total / 2 : total / 2;
}

/// The sizes of the convolution that `op` is the transpose of: from y to x.
ConvShape transposed_shape(const Deconv& op, Span weights, Span x, Span y) {
  ConvShape shape;
  shape.batch = x[0];
  shape.groups = op.group;
  shape.in_channels = weights[1];
  shape.out_channels = weights[0] / op.group;
  const std::size_t count = weights.size() - 2;
  for (std::size_t i = 0; i < count; ++i) {
    AxisWindow axis{y[i + 2], weights[i + 2], x[i + 2], op.strides.empty() ? 1 : op.strides[i],
                    op.dilations.empty() ? 1 : op.dilations[i]};
    axis.before = cut_before(op, i, axis);
    set_window_axis(shape.window, i, count, axis);
  }
  return shape;
}

}  // namespace

FactList DeconvKernel::output_facts(Facts in) const {
  check_arity(name, in, 2, 3);
  return facts_unpacked(op(), in[0], weights);
}

std::size_t DeconvKernel::scratch_bytes(Facts in) const {
  const Shape x = *in[0].shape.concrete(), y = *output_facts(in)[0].shape.concrete();
  return kernels::kernels(isa).deconv_scratch(transposed_shape(op(), weights, x, y));
}

void DeconvKernel::run(const KernelIo& io) const {
  const kernels::Deconv call{
      .shape = transposed_shape(op(), weights, io.inputs[0].shape, io.outputs[0].shape),
      .x = io.inputs[0].as<float>(),
      .packed_weights = io.inputs[1].as<float>(),
      .bias = io.inputs.size() > 2 ? io.inputs[2].as<float>() : nullptr,
      .activation = activation.call(),
      .y = io.outputs[0].as<float>()};
  const kernels::KernelTable& table = kernels::kernels(isa);
  const kernels::Index tasks = table.deconv_tasks(call.shape);
  if (tasks == 0) return;
  const std::size_t parts = parts_of(io, work_of(call.shape), tasks);
  share(io, parts, table.deconv_scratch(call.shape), [&](std::size_t part, std::byte* scratch) {
    table.deconv(call, part_of(tasks, 1, part, parts), scratch);
  });
}

Cost DeconvKernel::cost(Facts in, Facts out) const {
  return cost_unpacked(op(), in[0], weights, out);
}

std::string DeconvKernel::explain(Facts, Facts) const {
  return KernelChoice{"transposed convolution by phases of its strides",
                      largest_tile(isa, "phases of channels by places"),
                      to_string(isa),
                      {}}
      .to_string();
}

/// Deconv on f32 with constant weights -> DeconvKernel with packed weights
Rewrite lower_deconv(const NodeView& node, const Target& target) {
  const Deconv* deconv = node.op().as<Deconv>();
  const Tensor* weights = deconv ? weights_to_pack(node, kMaxSpatialAxes) : nullptr;
  if (!weights) return no_change;
  const DeconvKernel kernel{deconv->strides,
                            deconv->dilations,
                            deconv->padding,
                            deconv->group,
                            deconv->output_padding,
                            deconv->output_shape,
                            weights->shape(),
                            {},
                            target.isa};
  const kernels::KernelTable& table = kernels::kernels(target.isa);
  const Shape nothing(weights->rank(), 1);
  const ConvShape shape = transposed_shape(*deconv, weights->shape(), nothing, nothing);
  const std::int64_t size = table.deconv_weights_size(shape);
  const Tensor packed =
      packed_later(cat("deconv ", static_cast<int>(target.isa), ' ', deconv->group), *weights, size,
                   [=, &table](const Tensor& from, float* to) {
                     std::fill_n(to, size, 0.0F);
                     table.pack_deconv_weights(shape, from.as<float>().data(), to);
                   });
  return replace_packed(node, kernel, packed);
}

}  // namespace strata
