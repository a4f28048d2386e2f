#include <algorithm>
#include <cmath>

#include "kernel_ops/integer_operands.h"
#include "kernel_ops/pool_kernel.h"
#include "kernel_ops/resize_kernel.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/tile.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata {
namespace {

/// Whether an op copies each element of its first input at most once.
bool picks(const TypedOp& op) {
  return op.as<Reshape>() || op.as<Slice>() || op.as<Split>() || op.as<Squeeze>() ||
         op.as<Transpose>() || op.as<Unsqueeze>();
}

/// Whether an op may copy elements several times.
bool repeats(const TypedOp& op) {
  const Resize* resize = op.as<Resize>();
  return op.as<Expand>() || op.as<Gather>() || op.as<Tile>() || (resize && only_moves(*resize));
}

/// Whether an op gives the greatest of some elements of each window. None lies in padding alone,
/// which would give -inf, and that is no byte's number.
bool picks_greatest(const TypedOp& op) {
  const Pool* pool = op.as<Pool>();
  if (!pool || pool->indices != PoolIndices::none || !pools_bytes(*pool)) return false;
  const Shape &pads = pool->padding.amounts, &kernel = pool->kernel;
  for (std::size_t i = 0; i < pads.size(); ++i)
    if (pads[i] >= kernel[i % kernel.size()]) return false;
  return std::ranges::all_of(pool->dilations, [](std::int64_t step) { return step == 1; });
}

/// How many of the op's inputs, from the first on, it moves.
std::size_t moved_inputs(const NodeView& node) {
  if (node.op().as<Concat>()) return node.inputs().size();
  return picks(node.op()) || repeats(node.op()) || picks_greatest(node.op()) ? 1 : 0;
}

/// Whether the numbers of bytes are known to be in the order of the bytes.
bool keeps_order(const NodeView& dequantize) {
  const auto& scale = dequantize.input_fact(1).constant();
  const double factor = scale ? number_at(*scale, 0) : 0;
  return is_bytes(dequantize.input_fact(0)) && factor > 0 && std::isfinite(factor);
}

/// A tensor of one number, which applies to each element.
bool is_one(const Fact& fact) {
  return fact.shape.is_known() &&
         (fact.shape.rank() == 0 || (fact.constant() && fact.constant()->size() == 1));
}

/// The Dequantize that makes input `i`, if it has one scale and one zero point, and its input is
/// not constant and takes whole bytes.
std::optional<NodeView> dequantize_of(const NodeView& node, std::size_t i) {
  const Dequantize* op = node.producer_as<Dequantize>(i);
  if (!op || op->block_size != 0) return std::nullopt;
  const NodeView made = node.producer(i);
  const Fact& stored = made.input_fact(0);
  if (stored.constant() || bit_width(stored.dtype) < 8) return std::nullopt;
  for (std::size_t k = 1; k < made.inputs().size(); ++k)
    if (!is_one(made.input_fact(k))) return std::nullopt;
  return made;
}

/// Whether both give the same numbers for the same bytes.
bool are_alike(const NodeView& a, const NodeView& b) {
  return a.op().as<Dequantize>()->to == b.op().as<Dequantize>()->to &&
         a.input_fact(0).dtype == b.input_fact(0).dtype &&
         std::ranges::equal(std::span(a.inputs()).subspan(1), std::span(b.inputs()).subspan(1));
}

/// Whether nodes of this kind alone read the wire.
template <class Is>
bool is_read_by(const TypedModel& model, OutletId wire, const Is& is) {
  return !model.is_output(wire) &&
         std::ranges::all_of(model.successors(wire), [&](const auto& reader) {
           return is(NodeView{model, reader.node}.op());
         });
}

bool moves(const TypedOp& op) {
  return picks(op) || repeats(op) || picks_greatest(op) || op.as<Concat>();
}
bool quantises(const TypedOp& op) { return op.as<Quantize>() != nullptr; }

/// Whether it pays to dequantise after the node: the floats before it are only moved, or those
/// after it are quantised again. An op that repeats elements would make more of them to dequantise.
bool pays(const NodeView& node, OutletId dequantised) {
  const auto is_quantised = [&](OutletId y) { return is_read_by(node.model, y, quantises); };
  return repeats(node.op())
             ? is_quantised(node.output())
             : is_read_by(node.model, dequantised, moves) || is_quantised(node.output());
}

/// The number as a scalar.
OutletId scalar(Patch& patch, std::string_view name, OutletId wire) {
  const Fact& fact = patch.fact_of(wire);
  return fact.shape.rank() == 0 ? wire : patch.constant(name, fact.constant()->reshaped({}));
}

}  // namespace

/// Move(Dequantize(x, one scale)) -> Dequantize(Move(x)), for any op that moves elements, and for
/// the greatest of some: bytes are a quarter of floats, and what follows may take them
Rewrite move_dequantised(const NodeView& node, const Target&) {
  const std::size_t moved = moved_inputs(node);
  if (moved == 0) return no_change;
  const auto first = dequantize_of(node, 0);
  if (!first || (picks_greatest(node.op()) && !keeps_order(*first))) return no_change;
  OutletIds in = node.inputs();
  for (std::size_t i = 0; i < moved; ++i) {
    const auto each = dequantize_of(node, i);
    if (!each || !are_alike(*first, *each) || !pays(node, in[i])) return no_change;
    in[i] = each->input(0);
  }
  Patch patch(node);
  const OutletIds bytes = patch.wire("stored", node.op(), in);
  OutletIds numbers{kAbsent};
  for (std::size_t k = 1; k < first->inputs().size(); ++k)
    numbers.push_back(scalar(patch, k == 1 ? "scale" : "zero", first->input(k)));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    numbers[0] = bytes[i];
    patch.shunt(node.output(i), patch.wire_one("", first->op(), numbers));
  }
  return patch;
}

}  // namespace strata
