#include <algorithm>

#include "passes/passes.h"
#include "strata/core/only_number.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/concat_from_sequence.h"
#include "strata/core/ops/sequence_at.h"
#include "strata/core/ops/sequence_construct.h"
#include "strata/core/ops/sequence_erase.h"
#include "strata/core/ops/sequence_insert.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/split_to_sequence.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/support.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata {
namespace {

/// Longer sequences stay: a wire for each item in each step that adds one grows with the square of
/// the length.
constexpr std::size_t kMostItems = 1024;

/// The wires that a sequence of known items is made of.
std::optional<OutletIds> items_of(const NodeView& node, std::size_t input) {
  if (node.producer_as<SequenceConstruct>(input)) return node.producer(input).inputs();
  const Const* constant = node.producer_as<Const>(input);
  if (constant && !constant->value->is_tensor() && node.input_fact(input).length == Dim(0))
    return OutletIds{};
  return std::nullopt;
}

/// The index among `places` given by the position, which is input `input` of the node; `absent` if
/// the node has no such input.
std::optional<std::size_t> place_of(const NodeView& node, std::size_t input, std::int64_t length,
                                    std::int64_t places, std::int64_t absent) {
  std::int64_t place = absent;
  if (node.inputs().size() > input) {
    const auto position = only_integer(node.input_fact(input));
    if (!position) return std::nullopt;
    place = *position < 0 ? *position + length : *position;
  }
  if (place < 0 || place >= places) return std::nullopt;
  return static_cast<std::size_t>(place);
}

/// SequenceInsert(SequenceConstruct(.., b, ..), x, i)  ->  SequenceConstruct(.., x, b, ..)
Rewrite insert(const NodeView& node) {
  auto items = items_of(node, 0);
  if (!items || items->size() >= kMostItems) return no_change;
  const auto length = static_cast<std::int64_t>(items->size());
  const auto place = place_of(node, 2, length, length + 1, length);
  if (!place) return no_change;
  items->insert(items->begin() + static_cast<std::ptrdiff_t>(*place), node.input(1));
  return replace(node, SequenceConstruct{}, *items);
}

/// SequenceErase(SequenceConstruct(.., a, b, ..), i)  ->  SequenceConstruct(.., b, ..)
Rewrite erase(const NodeView& node) {
  auto items = items_of(node, 0);
  if (!items) return no_change;
  const auto length = static_cast<std::int64_t>(items->size());
  const auto place = place_of(node, 1, length, length, length - 1);
  if (!place) return no_change;
  items->erase(items->begin() + static_cast<std::ptrdiff_t>(*place));
  if (!items->empty()) return replace(node, SequenceConstruct{}, *items);
  return replace_by_constants(node, {Sequence{node.input_fact(0).element->type(), {}}});
}

/// Whether the facts allow to join the items: equal ranks, and dims that may be equal off the axis,
/// which items that are to be stacked have none of.
bool may_join(const NodeView& sequence, std::optional<std::int64_t> axis) {
  const ShapeFact& first = sequence.input_fact(0).shape;
  for (std::size_t i = 0; i < sequence.inputs().size(); ++i) {
    const Fact& item = sequence.input_fact(i);
    if (!item.is_tensor() || item.shape.is_open() || item.shape.rank() != first.rank() ||
        (axis && first.rank() == 0))
      return false;
    for (std::size_t k = 0; k < first.rank(); ++k)
      if (!(axis && k == normalized_axis(*axis, first.rank())) &&
          !may_be_equal(item.shape[k], first[k]))
        return false;
  }
  return true;
}

/// ConcatFromSequence(SequenceConstruct(a, ..))  ->  Concat(a, ..), of items with the new axis
/// where they are stacked along one
Rewrite join(const NodeView& node, const ConcatFromSequence& op) {
  if (!node.producer_as<SequenceConstruct>(0)) return no_change;
  const NodeView sequence = node.producer(0);
  if (op.join == SequenceJoin::existing_axis) {
    if (!may_join(sequence, op.axis)) return no_change;
    return replace(node, Concat{op.axis}, sequence.inputs());
  }
  if (!may_join(sequence, std::nullopt)) return no_change;
  Patch patch(node);
  const OutletId axes = patch.constant("axes", Tensor::of<std::int64_t>({1}, {op.axis}));
  OutletIds parts;
  for (const OutletId item : sequence.inputs())
    parts.push_back(patch.wire_one("part", Unsqueeze{}, {item, axes}));
  patch.shunt(node.output(), patch.wire_one("", Concat{op.axis}, parts));
  return patch;
}

/// One part of an axis that is split.
struct Part {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Part `node` asks for of an axis split into these sizes, which must sum up to it.
std::optional<Part> part_of_sizes(const NodeView& node, const Shape& sizes, std::int64_t extent) {
  const auto count = static_cast<std::int64_t>(sizes.size());
  const auto place = place_of(node, 1, count, count, -1);
  if (!place) return std::nullopt;
  Part part;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || sizes[i] > extent - end) return std::nullopt;
    if (i == *place) part = {end, end + sizes[i]};
    end += sizes[i];
  }
  if (end != extent) return std::nullopt;
  return part;
}

/// Part `node` asks for of an axis split into parts of `size`, the last one perhaps smaller.
std::optional<Part> equal_part(const NodeView& node, std::int64_t size, std::int64_t extent) {
  if (size <= 0) return std::nullopt;
  const std::int64_t count = extent / size + (extent % size != 0);
  const auto place = place_of(node, 1, count, count, -1);
  if (!place) return std::nullopt;
  const std::int64_t begin = static_cast<std::int64_t>(*place) * size;
  return Part{begin, begin + std::min(size, extent - begin)};
}

std::optional<Part> part_read(const NodeView& node, const NodeView& splitter, std::int64_t extent) {
  if (splitter.inputs().size() < 2) return equal_part(node, 1, extent);
  const Fact& split = splitter.input_fact(1);
  const auto sizes = split.integers();
  if (!sizes) return std::nullopt;
  return split.shape.rank() == 0 ? equal_part(node, (*sizes)[0], extent)
                                 : part_of_sizes(node, *sizes, extent);
}

/// SequenceAt(SplitToSequence(x, sizes), i)  ->  Slice(x, sum(sizes before i), sum(sizes up to i))
Rewrite part_at(const NodeView& node) {
  const SplitToSequence* split = node.producer_as<SplitToSequence>(0);
  if (!split) return no_change;
  const NodeView splitter = node.producer(0);
  const ShapeFact& shape = splitter.input_fact(0).shape;
  if (shape.is_open()) return no_change;
  const auto axis = static_cast<std::int64_t>(normalized_axis(split->axis, shape.rank()));
  const auto extent = shape[static_cast<std::size_t>(axis)].constant();
  const auto range = extent ? part_read(node, splitter, *extent) : std::nullopt;
  const auto keeps_axis =
      split->parts_keep_axis(splitter.inputs().size() > 1 ? &splitter.input_fact(1) : nullptr);
  if (!range || !keeps_axis) return no_change;

  Patch patch(node);
  const auto integers = [&](std::string_view name, std::int64_t value) {
    return patch.constant(name, Tensor::of<std::int64_t>({1}, {value}));
  };
  const OutletId at = integers("axis", axis);
  OutletId part = patch.wire_one(
      "part", Slice{},
      {splitter.input(0), integers("start", range->begin), integers("end", range->end), at});
  if (!*keeps_axis) part = patch.wire_one("item", Squeeze{}, {part, at});
  patch.shunt(node.output(), part);
  return patch;
}

}  // namespace

Rewrite sequences_as_wires(const NodeView& node, const Limits&) {
  if (node.op().as<SequenceInsert>()) return insert(node);
  if (node.op().as<SequenceErase>()) return erase(node);
  if (node.op().as<SequenceAt>()) return part_at(node);
  if (const ConcatFromSequence* op = node.op().as<ConcatFromSequence>()) return join(node, *op);
  return no_change;
}

}  // namespace strata
