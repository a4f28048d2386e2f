#include <algorithm>

#include "kernel_ops/blocked_conv_kernel.h"
#include "kernel_ops/blocked_cost.h"
#include "kernel_ops/deconv_kernel.h"
#include "kernel_ops/packed_later.h"
#include "kernel_ops/packed_weights.h"
#include "kernel_ops/rules.h"

namespace strata {
namespace {

using kernels::BlockedMethod;
using std::int64_t;

/// Sets axis `i` of the convolution that computes all phases, from the convolution `of` whose
/// transpose it is.
void spread_axis(const kernels::Window& of, int i, kernels::BlockedShape& to) {
  const int64_t stride = of.stride[i], y = of.in[i], first = of.pad[i] / stride;
  kernels::Window& w = to.conv.window;
  w.in[i] = of.out[i];
  w.out[i] = y == 0 ? 0 : (of.pad[i] + y - 1) / stride - first + 1;
  w.kernel[i] = taps_of_phase(of.kernel[i], stride);
  w.pad[i] = w.kernel[i] - 1 - first;
  to.spread.phases[i - 1] = stride;
  to.spread.cut[i - 1] = of.pad[i] % stride;
  to.spread.size[i - 1] = y;
}

/// Weights [channels, in channels, taps, taps] for some channels of the convolution that computes
/// all phases: place j of phase p takes tap p + stride * d from input j - d.
struct SpreadWeights {
  const float* from;  ///< [in channels, out channels, rows, columns]
  const Shape& shape;
  const Shape& strides;
  int64_t taps;

  /// Writes one kernel, of an output channel at a phase.
  void write(int64_t in, int64_t out, int64_t row, int64_t column, float* to) const {
    const float* kernel = from + (in * shape[1] + out) * shape[2] * shape[3];
    for (int64_t i = taps - 1; i >= 0; --i)
      for (int64_t j = taps - 1; j >= 0; --j, ++to) {
        const int64_t y = row + i * strides[0], x = column + j * strides[1];
        const bool is_there = out < shape[1] && y < shape[2] && x < shape[3];
        *to = is_there ? kernel[y * shape[3] + x] : 0;
      }
  }

  void write(kernels::Range channels, float* to) const {
    const int64_t phases = strides[0] * strides[1];
    for (int64_t channel = channels.begin; channel < channels.end; ++channel) {
      const int64_t block = channel / kernels::kChannelBlock, phase = block % phases;
      const int64_t out =
          block / phases * kernels::kChannelBlock + channel % kernels::kChannelBlock;
      for (int64_t in = 0; in < shape[0]; ++in, to += taps * taps)
        write(in, out, phase / strides[1], phase % strides[1], to);
    }
  }
};

/// Packs some channels at a time: whole sets of them, however many phases there are.
void pack_spread(const DeconvKernel& kernel, const Tensor& weights, float* packed) {
  const kernels::KernelTable& table = kernels::kernels(kernel.isa);
  const Shape nothing(4, 1);
  kernels::BlockedShape shape = kernel.spread_shape(nothing, nothing);
  const int64_t taps = shape.conv.window.kernel[2], channels = shape.conv.out_channels;
  const SpreadWeights spread{weights.as<float>().data(), kernel.weights, kernel.strides, taps};
  const int64_t most = 2 * kernels::kChannelBlock * kernel.strides[0] * kernel.strides[1];
  std::vector<float> part(static_cast<std::size_t>(most * kernel.weights[0] * taps * taps));
  for (int64_t first = 0; first < channels; first += most) {
    shape.conv.out_channels = std::min(most, channels - first);
    spread.write({first, first + shape.conv.out_channels}, part.data());
    table.pack_blocked_weights(shape, part.data(), packed);
    packed += table.blocked_weights_size(shape);
  }
}

Tensor packed_weights(const DeconvKernel& kernel, const Tensor& weights) {
  const Shape nothing(4, 1);
  const int64_t size =
      kernels::kernels(kernel.isa).blocked_weights_size(kernel.spread_shape(nothing, nothing));
  std::string key =
      cat("spread ", static_cast<int>(kernel.isa), ' ', static_cast<int>(kernel.method), ' ',
          kernel.strides[0], ' ', kernel.strides[1]);
  return packed_later(std::move(key), weights, size,
                      [kernel](const Tensor& from, float* to) { pack_spread(kernel, from, to); });
}

/// Direct if Winograd's method has no kernel, is not allowed, or does not save enough.
BlockedMethod method_of(const Deconv& deconv, const Shape& weights, const ShapeFact& y,
                        Winograd winograd) {
  const auto work = winograd_work(deconv, weights, y);
  if (winograd == Winograd::never || !work) return BlockedMethod::direct;
  return cheapest(blocked_costs(*work));
}

}  // namespace

kernels::BlockedShape DeconvKernel::spread_shape(Span x, Span y) const {
  const kernels::ConvShape of = shape(x, y);
  kernels::BlockedShape to;
  to.method = method;
  to.input = input;
  to.output = output;
  spread_axis(of.window, 1, to);
  spread_axis(of.window, 2, to);
  to.conv.batch = of.batch;
  to.conv.in_channels = of.out_channels;
  to.conv.out_channels = blocks_of(of.in_channels) * kernels::kChannelBlock * of.window.stride[1] *
                         of.window.stride[2];
  to.spread.channels = of.in_channels;
  return to;
}

/// Deconv on f32 with constant weights -> UnblockChannels(DeconvKernel(BlockChannels(x))), where
/// Winograd's way saves enough
Rewrite block_deconv(const NodeView& node, const Target& target) {
  const Deconv* deconv = node.op().as<Deconv>();
  const Tensor* weights =
      deconv && weights_shape(node, 2) ? node.input_fact(1).constant() : nullptr;
  const bool has_bias = node.inputs().size() > 2;
  if (!weights || (has_bias && !node.input_fact(2).constant())) return no_change;
  const BlockedMethod method =
      method_of(*deconv, weights->shape(), node.output_fact().shape, target.winograd);
  if (method == BlockedMethod::direct) return no_change;
  DeconvKernel kernel = DeconvKernel::of(*deconv, weights->shape(), target.isa);
  kernel.method = method;
  kernel.input = kernel.output = kernels::Layout::blocks;
  Patch patch(node);
  OutletIds inputs{patch.wire_one("blocks", BlockChannels{}, {node.input(0)}),
                   patch.constant("packed", packed_weights(kernel, *weights))};
  if (has_bias)
    inputs.push_back(patch.constant("bias", padded_bias(*node.input_fact(2).constant())));
  const OutletId y = patch.wire_one("blocked", kernel, inputs);
  patch.shunt(node.output(), patch.wire_one("", UnblockChannels{weights->shape()[1]}, {y}));
  return patch;
}

}  // namespace strata
