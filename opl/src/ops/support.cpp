#include "support.h"

#include <algorithm>
#include <numeric>

#include "strata/core/ops/cast.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::opl {
namespace {

/// What `with_rank` calls an operand with more axes, after the result's name.
constexpr std::string_view kOperandHint = "_operand";

}  // namespace

std::optional<std::size_t> input_rank(const NodeView& node, std::size_t i) {
  const Fact& fact = node.input_fact(i);
  if (!fact.is_tensor() || fact.shape.is_open()) return std::nullopt;
  return fact.shape.rank();
}

std::optional<Shape> normalized_axes(Shape axes, std::optional<std::size_t> rank) {
  const bool counts_from_end =
      std::any_of(axes.begin(), axes.end(), [](std::int64_t axis) { return axis < 0; });
  if (!rank && counts_from_end) return std::nullopt;
  if (rank)
    for (std::int64_t& axis : axes)
      axis = static_cast<std::int64_t>(strata::normalized_axis(axis, *rank));
  std::sort(axes.begin(), axes.end());
  return axes;
}

std::optional<std::int64_t> normalized_axis(std::int64_t axis, std::optional<std::size_t> rank) {
  if (!rank) return axis < 0 ? std::nullopt : std::optional(axis);
  return static_cast<std::int64_t>(strata::normalized_axis(axis, *rank));
}

Expression pairs(const std::vector<std::pair<std::int64_t, std::int64_t>>& values) {
  std::vector<Expression> items;
  for (const auto& [first, second] : values)
    items.push_back(tuple({number(first), number(second)}));
  return array(std::move(items));
}

Expression with_rank(const NodeView& node, GraphWriter& writer, std::size_t i, std::size_t rank) {
  const std::size_t own = *input_rank(node, i);
  if (own == 0 || own == rank) return writer.input(node, i);
  return writer.step(node, cat(kOperandHint.substr(1), i),
                     call("unsqueeze", {positional(writer.input(node, i)),
                                        named("axes", numbers(sequence_of(0, rank - own)))}));
}

std::optional<std::size_t> greatest_rank(const NodeView& node) {
  std::size_t rank = 0;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const auto own = input_rank(node, i);
    if (!own) return std::nullopt;
    rank = std::max(rank, *own);
  }
  return rank;
}

OutletIds with_trailing_axes(Invocation& call, OutletIds operands) {
  std::size_t rank = 0;
  for (const OutletId operand : operands) {
    const Fact& fact = call.fact(operand);
    if (!fact.is_tensor() || fact.shape.is_open()) return operands;
    rank = std::max(rank, fact.shape.rank());
  }
  for (OutletId& operand : operands) {
    const std::size_t own = call.fact(operand).shape.rank();
    if (own == 0 || own == rank) continue;
    operand = unsqueeze(call, "axes_added", operand,
                        sequence_of(static_cast<std::int64_t>(own), rank - own));
  }
  return operands;
}

OutletIds without_leading_axes(Invocation& call, OutletIds operands, std::size_t least) {
  const auto rank = [&](OutletId wire) {
    const Fact& fact = call.fact(wire);
    return fact.is_tensor() && fact.shape.is_known() ? fact.shape.rank() : 0;
  };
  const std::size_t ranks[] = {rank(operands[0]), rank(operands[1])};
  for (std::size_t i = 0; i < 2; ++i) {
    const TypedNode& maker = call.maker(operands[i]);
    if (!maker.op.as<Unsqueeze>() || ranks[1 - i] < ranks[i] ||
        maker.name != cat(call.target(), kOperandHint, i))
      continue;
    const auto axes = call.fact(maker.inputs[1]).integers();
    if (axes && *axes == sequence_of(0, axes->size()) && ranks[i] - axes->size() >= least)
      operands[i] = maker.inputs[0];
  }
  return operands;
}

OutletIds of_one_type(Invocation& call, OutletIds operands) {
  const auto fact = [&](std::size_t i) -> const Fact& { return call.fact(operands[i]); };
  const DatumType a = fact(0).dtype, b = fact(1).dtype;
  const bool are_alike = (is_float(a) && is_float(b)) || (is_integer(a) && is_integer(b));
  if (a == b || !are_alike) return operands;
  const auto is_number = [&](std::size_t i) {
    return fact(i).constant() && fact(i).constant()->size() == 1;
  };
  const bool narrows_first = is_number(0) || (!is_number(1) && bit_width(a) < bit_width(b));
  OutletId& cast = operands[narrows_first ? 0 : 1];
  cast = as_type(call, "alike", cast, narrows_first ? b : a);
  return operands;
}

OutletId as_type(Invocation& call, std::string_view hint, OutletId wire, DatumType type) {
  return call.fact(wire).dtype == type ? wire : call.step(hint, Cast{type}, {wire});
}

OutletId unsqueeze(Invocation& call, std::string_view hint, OutletId data, const Shape& axes) {
  return call.step(hint, Unsqueeze{}, {data, call.integers_constant("axes", axes)});
}

OutletId squeeze(Invocation& call, std::string_view hint, OutletId data, const Shape& axes) {
  return call.step(hint, Squeeze{}, {data, call.integers_constant("axes", axes)});
}

OutletIds make_squeeze(Invocation& call, OutletId data, const Shape& axes) {
  return call.make(Squeeze{}, {data, call.integers_constant("axes", axes)});
}

Fact sliced(Fact fact, std::int64_t axis, std::int64_t size) {
  std::vector<Dim> dims(fact.shape.dims().begin(), fact.shape.dims().end());
  dims[strata::normalized_axis(axis, dims.size())] = Dim(size);
  fact.shape = std::move(dims);
  return fact;
}

Shape sequence_of(std::int64_t first, std::size_t count) {
  Shape out(count, 0);
  std::iota(out.begin(), out.end(), first);
  return out;
}

}  // namespace strata::opl
