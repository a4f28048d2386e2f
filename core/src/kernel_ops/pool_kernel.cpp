#include "kernel_ops/pool_kernel.h"

#include <algorithm>

#include "kernel_ops/conv_kernel.h"
#include "kernel_ops/integer_operands.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "kernels/byte_pool.h"

namespace strata {
namespace {

std::int64_t padding_after(const Padding& padding, std::size_t i, std::size_t count,
                           const AxisWindow& axis) noexcept {
  if (padding.kind == Padding::Kind::valid) return 0;
  if (padding.kind == Padding::Kind::fixed)
    return padding.amounts.empty() ? 0 : padding.amounts[count + i];
  const std::int64_t total = std::max<std::int64_t>(
      0, (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1 - axis.in);
  return total - axis.before;
}

double taps_of(const Shape& kernel) noexcept {
  double taps = 1;
  for (const std::int64_t size : kernel) taps *= static_cast<double>(size);
  return taps;
}

WorkSize work_of(const KernelIo& io, const Shape& kernel) {
  const TensorView& x = io.inputs[0];
  const double in = static_cast<double>(volume(x.shape)),
               out = static_cast<double>(volume(io.outputs[0].shape));
  return {out * taps_of(kernel), (in + out) * static_cast<double>(bit_width(x.dtype) / 8)};
}

}  // namespace

bool suits_kernels(const Pool& pool) noexcept {
  constexpr double kMostTaps = 1 << 24;
  return pool.kernel.size() <= kMaxSpatialAxes && taps_of(pool.kernel) <= kMostTaps;
}

bool pools_bytes(const Pool& pool) noexcept {
  double span = 1;
  for (std::size_t i = 0; i < pool.kernel.size(); ++i) {
    const std::int64_t dilation = pool.dilations.empty() ? 1 : pool.dilations[i];
    span *= static_cast<double>(pool.kernel[i] - 1) * static_cast<double>(dilation) + 1;
  }
  return pool.kind == PoolKind::max && span <= kernels::BytePool::kMostSpanned;
}

AxisWindow PoolWindows::axis(std::size_t i, Span x, Span out) const noexcept {
  AxisWindow axis{x[i + 2], kernel[i], out[i + 2], strides.empty() ? 1 : strides[i],
                  dilations.empty() ? 1 : dilations[i]};
  axis.before = padding_before(padding, i, axis);
  axis.after = padding_after(padding, i, kernel.size(), axis);
  return axis;
}

FactList PoolKernel::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  if (layout == kernels::Layout::planes) return op().output_facts(in);
  const Fact x = planes_fact(in[0], kernels::kChannelBlock);
  const Fact* operand = &x;
  std::vector<Dim> y = op().output_facts(Facts({&operand, 1}))[0].shape.dims();
  y[1] = in[0].shape[1];
  y.push_back(kernels::kChannelBlock);
  return {Fact::tensor(DatumType::f32, std::move(y))};
}

void PoolKernel::run_bytes(const KernelIo& io) const {
  const Span x = io.inputs[0].shape, out = io.outputs[0].shape;
  kernels::BytePool pool{.is_signed = io.inputs[0].dtype == DatumType::i8,
                         .x = io.inputs[0].as<std::uint8_t>(),
                         .y = io.outputs[0].as<std::uint8_t>()};
  const PoolWindows windows{kernel, strides, dilations, padding};
  for (std::size_t i = 0; i < kernel.size(); ++i)
    set_window_axis(pool.window, i, kernel.size(), windows.axis(i, x, out));
  share_range(io, work_of(io, kernel), x[0] * x[1], 1,
              [&](kernels::Range planes) { kernels::byte_pool(pool, planes); });
}

void PoolKernel::run(const KernelIo& io) const {
  const Span x = io.inputs[0].shape, out = io.outputs[0].shape;
  if (volume(out) == 0) return;
  if (io.inputs[0].dtype != DatumType::f32) return run_bytes(io);
  kernels::Pool pool{.kind = kind == PoolKind::max ? kernels::PoolKind::max
                             : count_padding       ? kernels::PoolKind::average_include_pad
                                                   : kernels::PoolKind::average,
                     .planes = x[0] * x[1],
                     .x = io.inputs[0].as<float>(),
                     .y = io.outputs[0].as<float>()};
  const PoolWindows windows{kernel, strides, dilations, padding};
  const std::size_t count = kernel.size();
  for (std::size_t i = 0; i < count; ++i) {
    const AxisWindow axis = windows.axis(i, x, out);
    set_window_axis(pool.window, i, count, axis);
    pool.pad_end[kMaxSpatialAxes - count + i] = axis.after;
  }
  const kernels::KernelTable& table = kernels::kernels(isa);
  const bool in_blocks = layout == kernels::Layout::blocks;
  const std::int64_t tasks = in_blocks ? pool.planes * pool.window.out[1] : pool.planes;
  share_range(io, work_of(io, kernel), tasks, 1, [&](kernels::Range range) {
    (in_blocks ? table.blocked_pool : table.pool)(pool, range);
  });
}

std::string PoolKernel::explain(Facts in, Facts) const {
  if (in[0].dtype != DatumType::f32)
    return "pool of bytes, vectors of 16 bytes along the rows of a padded strip";
  const bool in_blocks = layout == kernels::Layout::blocks;
  return explain_vectors(
      in_blocks ? "pool of blocks" : "pool of planes", isa,
      in_blocks ? "the image comes in blocks or has short rows: vectors lie across channels"
                : "vectors lie along rows");
}

/// Max or average Pool of f32, or max Pool of bytes -> PoolKernel; of bytes in very large windows
/// -> Cast(Pool(Cast))
Rewrite lower_pool(const NodeView& node, const Target& target) {
  const Pool* pool = node.op().as<Pool>();
  if (!pool || pool->kind == PoolKind::lp || pool->indices != PoolIndices::none ||
      !suits_kernels(*pool) || node.input_fact(0).shape.is_open())
    return no_change;
  if (is_bytes(node.input_fact(0))) {
    if (!pools_bytes(*pool)) return in_floats(node, *pool);
  } else if (!is_f32(node.input_fact(0))) {
    return no_change;
  }
  return replace(
      node,
      PoolKernel{pool->kind, pool->kernel, pool->strides, pool->dilations, pool->padding,
                 pool->rounding, pool->count_padding, kernels::Layout::planes, target.isa},
      node.inputs());
}

}  // namespace strata
