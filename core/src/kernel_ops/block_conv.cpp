#include <algorithm>

#include "kernel_ops/blocked_conv_kernel.h"
#include "kernel_ops/blocked_cost.h"
#include "kernel_ops/conv_kernel.h"
#include "kernel_ops/packed_later.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/unary_kernel.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/unary.h"

namespace strata {
namespace {

using kernels::BlockedMethod;
using kernels::Layout;
using std::int64_t;

constexpr int64_t kFewChannels = 8;  ///< fewer would leave more than half of a block empty
constexpr int64_t kFewPixels = 8;    ///< fewer are left to kernels for products of vectors
constexpr int64_t kManyTaps = 16;    ///< so many make up for moving each number to its block
constexpr int kFarOps = 8;           ///< how far to look for another convolution, and for blocks

bool all_ones(const Shape& sizes) {
  return std::ranges::all_of(sizes, [](int64_t size) { return size == 1; });
}

/// Whether groups fill vectors evenly, so that a vector takes one input of each of its groups at a
/// time.
bool has_even_groups(const Conv& conv, const Shape& w) {
  return w[1] == w[0] / conv.group && (w[1] == 2 || w[1] == 4 || w[1] == 8);
}

/// Whether groups may share panels of outputs of a direct convolution, in which inputs of one group
/// are multiplied by zeros for outputs of another. That pays if these zeros are few, or groups so
/// small that planes are no faster.
bool suits_panels(int64_t in, int64_t out) {
  return out >= 16 || (out >= 8 && in <= 16) || (out == 4 && in <= 4);
}

BlockedMethod method_of(const Conv& conv, const Shape& w, const ShapeFact& y, Winograd winograd) {
  if (conv.group > 1 && w[1] == 1) return BlockedMethod::depthwise;
  if (conv.group > 1 && has_even_groups(conv, w)) return BlockedMethod::grouped;
  const auto work = winograd_work(conv, w, y);
  if (winograd == Winograd::never || !work) return BlockedMethod::direct;
  return cheapest(blocked_costs(*work));
}

/// Whether x is read in planes, one channel after the other.
bool reads_planes(const Conv& conv, const Shape& w) {
  return conv.group == 1 && w[1] < kFewChannels &&
         (conv.dilations.empty() || conv.dilations.back() == 1);
}

std::optional<int64_t> pixels_of(const ShapeFact& y) {
  int64_t pixels = 1;
  for (std::size_t axis = 2; axis < y.rank(); ++axis) {
    const auto size = y[axis].constant();
    if (!size) return std::nullopt;
    pixels *= *size;
  }
  return pixels;
}

bool has_few_pixels(const ShapeFact& y) {
  const auto pixels = pixels_of(y);
  return pixels && *pixels <= kFewPixels;
}

/// Whether products of planes, whose lanes are pixels, would leave so many lanes empty that
/// converting to blocks and back costs less: a part of the last vector of a few, where each number
/// that is converted meets many channels.
bool leaves_lanes_empty(const Shape& w, const ShapeFact& y) {
  constexpr int64_t kSmallImage = 128, kManyChannels = 32;
  const auto pixels = pixels_of(y);
  return pixels && *pixels <= kSmallImage && *pixels % kernels::kChannelBlock != 0 &&
         w[0] * w[1] >= kManyChannels * (w[0] + w[1]);
}

/// Whether rows of outputs of one channel would fill half of the longest vectors at most.
bool has_short_rows(const Shape& w, const ShapeFact& y, Isa isa) {
  const auto columns = y[y.rank() - 1].constant();
  return isa != Isa::baseline && w[0] >= kernels::kChannelBlock && columns &&
         *columns <= kernels::kChannelBlock / 2;
}

/// Whether there is a form of the op for blocks.
bool passes_blocks(const TypedOp& op) {
  return op.as<Unary>() || op.as<UnaryKernel>() || op.as<Activation>() || op.as<Binary>() ||
         op.as<Pool>() || op.as<Concat>();
}

/// Whether one of the nearest readers of this wire, past ops that work in blocks, is a convolution.
bool leads_to_conv(const TypedModel& model, OutletId wire) {
  constexpr std::size_t kMostWires = 100;  // so that a net of many branches takes no longer
  std::vector<OutletId> wires{wire};
  std::size_t done = 0;
  for (int steps = 0; steps <= kFarOps; ++steps) {
    for (const std::size_t end = wires.size(); done < end; ++done) {
      for (const InletId reader : model.successors(wires[done])) {
        const TypedOp& op = model.node(reader.node).op;
        if (op.as<Conv>() || op.as<BlockChannels>()) return true;
        const OutletId made{reader.node, 0};
        if (wires.size() < kMostWires && passes_blocks(op) &&
            std::ranges::find(wires, made) == wires.end())
          wires.push_back(made);
      }
    }
  }
  return false;
}

/// Whether the node reads an image in blocks, past ops that work in blocks. Of each op, only the
/// first operand that is not a constant is followed back.
bool comes_from_blocks(const NodeView& node, int steps) {
  const auto image = std::ranges::find_if(
      node.inputs(), [&](OutletId input) { return !node.model.fact(input).constant(); });
  if (image == node.inputs().end()) return false;
  const NodeView maker{node.model, image->node};
  return maker.op().as<UnblockChannels>() ||
         (passes_blocks(maker.op()) && steps > 0 && comes_from_blocks(maker, steps - 1));
}

/// Whether there is a depthwise kernel for planes that reads each pixel once for several rows.
bool has_depthwise_rows(const Conv& conv, const Shape& w) {
  return w.size() == 4 && w[2] == w[3] && (w[2] == 3 || w[2] == 5) && all_ones(conv.strides) &&
         all_ones(conv.dilations);
}

/// Whether blocks save more than converting to them and back costs. A single convolution gains in
/// two cases: several taps read each pixel, and its blocks are full, or its channels lie in groups,
/// or pixels would not fill vectors; or it has many taps and reads planes, or is depthwise.
bool is_worth_blocks(const NodeView& node, const Conv& conv, const Shape& w, BlockedMethod method,
                     Isa isa) {
  if (comes_from_blocks(node, kFarOps)) return true;
  if (method == BlockedMethod::winograd2 || method == BlockedMethod::winograd4) return true;
  const int64_t taps = volume(Span(w).subspan(2));
  const bool is_full = conv.group == 1 && w[0] >= kernels::kChannelBlock &&
                       (w[1] >= kernels::kChannelBlock || reads_planes(conv, w));
  const bool is_grouped = conv.group > 1 && method != BlockedMethod::depthwise;
  if (taps > 1 && (is_full || is_grouped)) return true;
  if (is_full && leaves_lanes_empty(w, node.output_fact().shape)) return true;
  const bool is_depthwise = method == BlockedMethod::depthwise;
  if (is_depthwise && has_short_rows(w, node.output_fact().shape, isa)) return true;
  const bool is_slow = is_depthwise && !has_depthwise_rows(conv, w);
  if (taps >= kManyTaps && (reads_planes(conv, w) || is_slow)) return true;
  return leads_to_conv(node.model, node.output());
}

/// Packs the weights of one group set by set. Packed weights of a set of output channels are
/// contiguous, so that each set is copied from the file and packed while it is in a cache.
void pack_sets(const kernels::KernelTable& table, kernels::BlockedShape shape,
               const Tensor& weights, float* packed) {
  constexpr int64_t kSet = 32;
  const int64_t channels = shape.conv.out_channels, row = weights.size() / channels;
  std::vector<float> set(static_cast<std::size_t>(std::min(kSet, channels) * row));
  for (int64_t first = 0; first < channels; first += kSet) {
    shape.conv.out_channels = std::min(kSet, channels - first);
    copy_rows(weights, {first, first + shape.conv.out_channels},
              reinterpret_cast<std::byte*>(set.data()));
    table.pack_blocked_weights(shape, set.data(), packed);
    packed += table.blocked_weights_size(shape);
  }
}

Tensor packed_weights(const BlockedConvKernel& kernel, const Tensor& weights) {
  const kernels::KernelTable& table = kernels::kernels(kernel.isa);
  const Shape nothing(weights.rank(), 1);
  const kernels::BlockedShape shape = kernel.shape(nothing, nothing);
  std::string key =
      cat("blocked ", static_cast<int>(kernel.isa), ' ', static_cast<int>(kernel.method), ' ',
          static_cast<int>(kernel.input), ' ', kernel.group, ' ', Span(kernel.dilations));
  return packed_later(std::move(key), weights, table.blocked_weights_size(shape),
                      [&table, shape](const Tensor& from, float* to) {
                        if (shape.conv.groups == 1) return pack_sets(table, shape, from, to);
                        table.pack_blocked_weights(shape, from.as<float>().data(), to);
                      });
}

}  // namespace

Tensor padded_bias(const Tensor& bias) {
  const int64_t channels = bias.shape()[0];
  const int64_t padded = blocks_of(channels) * kernels::kChannelBlock;
  if (padded == channels) return bias;
  MutableTensor out = MutableTensor::zeros(DatumType::f32, {padded});
  std::ranges::copy(bias.as<float>(), out.as<float>().begin());
  return std::move(out).freeze();
}

bool fits_blocks(const Conv& conv, const Shape& w, Isa isa) {
  const int64_t in = w[1], out = w[0] / conv.group;
  if (w.size() < 3 || w.size() > 5 || w[0] < kFewChannels) return false;
  if (w.size() == 5 && (conv.group > 1 || w[1] < kFewChannels)) return false;
  if (conv.group == 1) return in >= kFewChannels || reads_planes(conv, w);
  if (in == 1) return out == 1;
  if (has_even_groups(conv, w)) return isa != Isa::baseline;
  return suits_panels(in, out);
}

/// Conv on f32 with constant weights -> UnblockChannels(BlockedConvKernel(BlockChannels(x)))
Rewrite block_conv(const NodeView& node, const Target& target) {
  const Conv* conv = node.op().as<Conv>();
  if (!conv || !is_f32(node.input_fact(0)) || node.input_fact(0).shape.is_open()) return no_change;
  const Tensor* weights = node.input_fact(1).constant();
  const bool has_bias = node.inputs().size() > 2;
  if (!weights || weights->size() == 0 || (has_bias && !node.input_fact(2).constant()))
    return no_change;
  const Shape& w = weights->shape();
  if (!fits_blocks(*conv, w, target.isa) || has_few_pixels(node.output_fact().shape))
    return no_change;
  const BlockedMethod method = method_of(*conv, w, node.output_fact().shape, target.winograd);
  if (!is_worth_blocks(node, *conv, w, method, target.isa)) return no_change;
  const Layout input = reads_planes(*conv, w) ? Layout::planes : Layout::blocks;
  const BlockedConvKernel kernel{.strides = conv->strides,
                                 .dilations = conv->dilations,
                                 .padding = conv->padding,
                                 .group = conv->group,
                                 .weights = w,
                                 .method = method,
                                 .input = input,
                                 .isa = target.isa};
  Patch patch(node);
  OutletIds inputs{node.input(0), patch.constant("packed", packed_weights(kernel, *weights))};
  if (input == Layout::blocks)
    inputs[0] = patch.wire_one("blocks", BlockChannels{}, {node.input(0)});
  if (has_bias)
    inputs.push_back(patch.constant("bias", padded_bias(*node.input_fact(2).constant())));
  const Fact& image = node.output_fact();
  const OutletIds y = patch.wire_as("blocked", kernel, inputs, {blocked_fact(image)});
  patch.shunt(node.output(), patch.wire_as("", UnblockChannels{w[0]}, y, {image})[0]);
  return patch;
}

}  // namespace strata
