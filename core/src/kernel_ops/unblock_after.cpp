#include <algorithm>

#include "kernel_ops/blocked_conv_kernel.h"
#include "kernel_ops/blocked_image.h"
#include "kernel_ops/pool_kernel.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/reduce.h"

/// Rules that keep images in blocks through the ops between two convolutions.
namespace strata {
namespace {

using std::int64_t;

constexpr int64_t kBlock = kernels::kChannelBlock;

/// An image in blocks that a node reads as planes.
struct BlockedInput {
  OutletId blocks;
  int64_t channels;
};

std::optional<BlockedInput> blocked_input(const NodeView& node, std::size_t i) {
  const UnblockChannels* unblock = node.producer_as<UnblockChannels>(i);
  if (!unblock) return std::nullopt;
  return BlockedInput{node.producer(i).input(0), unblock->channels};
}

/// The node's output from `blocks`.
Rewrite unblocked(const NodeView& node, Patch&& patch, OutletId blocks, int64_t channels) {
  patch.shunt(node.output(), patch.wire_as("planes", UnblockChannels{channels}, {blocks},
                                           {node.output_fact()})[0]);
  return patch;
}

/// Whether the function of what fills a block up, which may be any number, is a number. The range of
/// f16 ends early enough for what goes through the same constants as an image to leave it.
bool is_finite_everywhere(const KernelFunction& function) {
  using enum kernels::Unary;
  constexpr kernels::Unary others[] = {exp,  log,  sqrt,  asin,  acos,
                                       sinh, cosh, acosh, atanh, to_f16};
  return std::find(std::begin(others), std::end(others), function.op) == std::end(others);
}

bool is_finite_everywhere(BinaryOp op) {
  using enum BinaryOp;
  return op == add || op == sub || op == mul || op == min || op == max;
}

/// Whether a constant of this shape is one number for each channel of an image of rank `rank`.
bool is_per_channel(const Shape& shape, std::size_t rank, int64_t channels) {
  if (shape.size() + 1 < rank || shape.size() > rank) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = i + rank - shape.size();
    if (shape[i] != (axis == 1 ? channels : 1)) return false;
  }
  return true;
}

/// Numbers for each channel in whole blocks, [blocks, 1..., kBlock]; the last one fills the last
/// block up, so that it is as harmless as the others.
Tensor blocked_numbers(const Tensor& numbers, std::size_t rank, int64_t channels) {
  Shape shape(rank + 1, 1);
  shape[1] = blocks_of(channels), shape[rank] = kBlock;
  MutableTensor out(DatumType::f32, shape);
  const auto from = numbers.as<float>();
  const auto to = out.as<float>();
  std::ranges::fill(to, from.back());
  std::ranges::copy(from, to.begin());
  return std::move(out).freeze();
}

/// What stands for operand `i` beside an image in blocks of this rank and so many channels; nothing
/// where that would cost more than it saves.
std::optional<OutletId> beside_blocks(const NodeView& node, std::size_t i, std::size_t rank,
                                      int64_t channels, Patch& patch) {
  const Fact& fact = node.input_fact(i);
  if (const auto blocked = blocked_input(node, i)) {
    if (fact.shape.rank() == rank && blocked->channels == channels) return blocked->blocks;
    return std::nullopt;
  }
  if (const Tensor* constant = fact.constant()) {
    if (constant->size() == 1)
      return patch.constant(cat("operand", i), Tensor::of<float>({}, constant->as<float>()));
    if (is_per_channel(constant->shape(), rank, channels))
      return patch.constant(cat("operand", i), blocked_numbers(*constant, rank, channels));
    return std::nullopt;
  }
  if (fact.shape.is_open() || fact.shape.rank() != rank || fact.shape[1] != Dim(channels))
    return std::nullopt;
  return patch.wire_one(cat("operand", i), BlockChannels{}, {node.input(i)});
}

}  // namespace

/// f(UnblockChannels(x)) -> UnblockChannels(f(x)), f element by element
Rewrite unblock_after_unary(const NodeView& node, const Target&) {
  const auto function = kernel_function(node.op());
  if (!function) return no_change;
  const auto x = blocked_input(node, 0);
  if (!x) return no_change;
  // A convolution itself fills up with functions of its biases.
  const bool is_of_conv = node.model.node(x->blocks.node).op.as<BlockedConvKernel>() != nullptr;
  const bool may_follow =
      is_finite_everywhere(*function) || (is_of_conv && function->op == kernels::Unary::to_f16);
  if (x->channels % kBlock != 0 && !may_follow) return no_change;
  Patch patch(node);
  const OutletId y = patch.wire_one("", node.op(), {x->blocks});
  return unblocked(node, std::move(patch), y, x->channels);
}

/// f(UnblockChannels(x), y) -> UnblockChannels(f(x, y in blocks)), f element by element
Rewrite unblock_after_binary(const NodeView& node, const Target&) {
  const Binary* binary = node.op().as<Binary>();
  if (!binary || !is_f32(node.output_fact()) || !is_f32(node.input_fact(0))) return no_change;
  for (const std::size_t i : {0, 1}) {
    const auto x = blocked_input(node, i);
    if (!x || !surely_equal(node.input_fact(i).shape, node.output_fact().shape)) continue;
    if (!is_finite_everywhere(binary->op) &&
        (x->channels % kBlock != 0 || binary->op != BinaryOp::div))
      continue;
    Patch patch(node);
    const std::size_t rank = node.output_fact().shape.rank();
    const auto other = beside_blocks(node, 1 - i, rank, x->channels, patch);
    if (!other) continue;
    const OutletIds inputs = i == 0 ? OutletIds{x->blocks, *other} : OutletIds{*other, x->blocks};
    const OutletId y = patch.wire_one("", *binary, inputs);
    return unblocked(node, std::move(patch), y, x->channels);
  }
  return no_change;
}

/// Concat(UnblockChannels(x)...) of channels in whole blocks -> UnblockChannels(Concat(x...));
/// inputs that are planes come to blocks where they are the smaller part
Rewrite unblock_after_concat(const NodeView& node, const Target&) {
  const Concat* concat = node.op().as<Concat>();
  if (!concat || node.output_fact().shape.is_open()) return no_change;
  if (normalized_axis(concat->axis, node.output_fact().shape.rank()) != 1) return no_change;
  Patch patch(node);
  OutletIds inputs;
  int64_t channels = 0, in_blocks = 0;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const auto count =
        node.input_fact(i).shape.is_open() ? std::nullopt : node.input_fact(i).shape[1].constant();
    if (!count || !is_f32(node.input_fact(i)) || channels % kBlock != 0) return no_change;
    channels += *count;
    if (const auto x = blocked_input(node, i)) {
      in_blocks += *count;
      inputs.push_back(x->blocks);
    } else {
      inputs.push_back(patch.wire_one(cat("operand", i), BlockChannels{}, {node.input(i)}));
    }
  }
  if (2 * in_blocks <= channels) return no_change;
  const OutletId y = patch.wire_one("", Concat{1}, inputs);
  return unblocked(node, std::move(patch), y, channels);
}

/// Reduce(UnblockChannels(x)) over spatial axes -> UnblockChannels(Reduce(x))
Rewrite unblock_after_reduce(const NodeView& node, const Target&) {
  const Reduce* reduce = node.op().as<Reduce>();
  if (!reduce || node.inputs().size() != 2) return no_change;
  const auto x = blocked_input(node, 0);
  const auto given = node.input_fact(1).integers();
  if (!x || !given || given->empty()) return no_change;
  if (reduce->op != Reduction::mean && reduce->op != Reduction::sum && reduce->op != Reduction::max)
    return no_change;
  std::vector<int64_t> axes;
  for (const int64_t axis : *given) {
    const std::size_t at = normalized_axis(axis, node.input_fact(0).shape.rank());
    if (at < 2) return no_change;
    axes.push_back(static_cast<int64_t>(at));
  }
  Patch patch(node);
  const OutletId kept = patch.constant(
      "axes", Tensor::of<int64_t>({static_cast<int64_t>(axes.size())}, std::span(axes)));
  const OutletId y = patch.wire_one("", *reduce, {x->blocks, kept});
  return unblocked(node, std::move(patch), y, x->channels);
}

namespace {

/// The channels of an image whose rows are so short that a pool of planes takes longer than to move
/// each number to its block and back. Planes read each row of a window and each column, blocks each
/// tap.
std::optional<int64_t> channels_of_short_rows(const NodeView& node, const Pool& pool) {
  constexpr int64_t kFewTaps = 9;
  const int64_t short_row = product(Span(pool.kernel)) <= kFewTaps ? 28 : 14;
  const Fact& x = node.input_fact(0);
  if (!is_f32(x) || x.shape.is_open()) return std::nullopt;
  const auto channels = x.shape[1].constant(), row = x.shape.dims().back().constant();
  return channels && *channels >= kBlock && row && *row <= short_row ? channels : std::nullopt;
}

}  // namespace

/// Pool(UnblockChannels(x)) -> UnblockChannels(PoolKernel(x)), and the same for short rows of
/// planes
Rewrite block_pool(const NodeView& node, const Target& target) {
  const Pool* pool = node.op().as<Pool>();
  if (!pool || pool->kind == PoolKind::lp || pool->indices != PoolIndices::none ||
      pool->kernel.size() > 2)
    return no_change;
  const auto x = blocked_input(node, 0);
  const auto channels = x ? std::optional(x->channels) : channels_of_short_rows(node, *pool);
  if (!channels) return no_change;
  const PoolKernel kernel{
      pool->kind,     pool->kernel,        pool->strides,           pool->dilations, pool->padding,
      pool->rounding, pool->count_padding, kernels::Layout::blocks, target.isa};
  Patch patch(node);
  const OutletId blocks = x ? x->blocks : patch.wire_one("blocks", BlockChannels{}, node.inputs());
  const OutletId y = patch.wire_one("", kernel, {blocks});
  return unblocked(node, std::move(patch), y, *channels);
}

}  // namespace strata
