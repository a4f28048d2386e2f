#include <algorithm>

#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/tile.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/core/rank.h"

// Ops that arrange elements anew without picking any.

namespace strata::opl {
namespace {

Standard write_concat(const NodeView& node, GraphWriter& writer) {
  const auto axis = normalized_axis(node.op().as<Concat>()->axis, input_rank(node, 0));
  if (!axis) return std::nullopt;
  std::vector<Expression> values;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) values.push_back(writer.input(node, i));
  return call("concat", {positional(array(std::move(values))), named("axis", number(*axis))});
}

OutletIds read_concat(Invocation& call) {
  return call.make(Concat{call.integer("axis")}, call.wires("values"));
}

/// NNEF's stack joins along an axis that is new.
OutletIds read_stack(Invocation& call) {
  const std::int64_t axis = call.integer("axis");
  OutletIds parts = call.wires("values");
  for (OutletId& part : parts) part = unsqueeze(call, "part", part, Shape{axis});
  return call.make(Concat{axis}, parts);
}

Standard write_reshape(const NodeView& node, GraphWriter& writer) {
  const auto shape = constant_dims(node, 1);
  if (!shape) return std::nullopt;
  const bool has_zero =
      std::any_of(shape->begin(), shape->end(), [](const Dim& dim) { return dim == Dim(0); });
  if (has_zero && node.op().as<Reshape>()->zero == ReshapeZero::keep) return std::nullopt;
  return call("reshape", {positional(writer.input(node, 0)), named("shape", writer.dims(*shape))});
}

/// `axis_start` and `axis_count` say which axes the new sizes take the place of.
OutletIds read_reshape(Invocation& call) {
  const OutletId data = call.wire("input");
  const std::int64_t start = call.integer("axis_start", 0), count = call.integer("axis_count", -1);
  if (start == 0 && count == -1) return call.make(Reshape{}, {data, call.sizes("shape")});
  const std::vector<Item> sizes = call.size_items("shape");
  const std::size_t rank = call.rank(data), first = static_cast<std::size_t>(start);
  const std::size_t end = count < 0 ? rank : first + static_cast<std::size_t>(count);
  if (start < 0 || first > end || end > rank)
    call.fail(cat("axes ", start, " to ", end, " of a tensor of rank ", rank));
  const DimsView dims = call.fact(data).shape.dims();
  std::vector<Item> whole;
  for (std::size_t axis = 0; axis < first; ++axis) whole.push_back({dims[axis], {}});
  whole.insert(whole.end(), sizes.begin(), sizes.end());
  for (std::size_t axis = end; axis < rank; ++axis) whole.push_back({dims[axis], {}});
  return call.make(Reshape{}, {data, call.size_vector("shape", whole)});
}

Standard write_transpose(const NodeView& node, GraphWriter& writer) {
  Shape perm(node.op().as<Transpose>()->perm.begin(), node.op().as<Transpose>()->perm.end());
  const auto rank = input_rank(node, 0);
  if (perm.empty()) {
    if (!rank || *rank == 0) return std::nullopt;
    perm = sequence_of(0, *rank);
    std::reverse(perm.begin(), perm.end());
  }
  return call("transpose", {positional(writer.input(node, 0)), named("axes", numbers(perm))});
}

/// Axes that are not named stay at the end.
OutletIds read_transpose(Invocation& call) {
  const OutletId data = call.wire("input");
  const Shape axes = call.integers("axes");
  Transpose op{{axes.begin(), axes.end()}};
  const Fact& fact = call.fact(data);
  if (fact.is_tensor() && fact.shape.is_known())
    for (std::size_t axis = axes.size(); axis < fact.shape.rank(); ++axis)
      op.perm.push_back(static_cast<std::int64_t>(axis));
  if (op.perm.empty()) return {data};
  return call.make(op, {data});
}

/// The form of Squeeze and Unsqueeze, whose axes count in the tensor that has them.
Standard write_axes(const NodeView& node, GraphWriter& writer, std::string_view fragment,
                    std::optional<std::size_t> rank) {
  const auto given = constant_integers(node, 1);
  const auto axes = given ? normalized_axes(*given, rank) : std::nullopt;
  if (!axes) return std::nullopt;
  return call(std::string(fragment),
              {positional(writer.input(node, 0)), named("axes", numbers(*axes))});
}

Standard write_squeeze(const NodeView& node, GraphWriter& writer) {
  return write_axes(node, writer, "squeeze", input_rank(node, 0));
}

Standard write_unsqueeze(const NodeView& node, GraphWriter& writer) {
  const ShapeFact& shape = node.output_fact().shape;
  return write_axes(node, writer, "unsqueeze",
                    shape.is_open() ? std::nullopt : std::optional(shape.rank()));
}

OutletIds read_squeeze(Invocation& call) {
  return make_squeeze(call, call.wire("input"), call.integers("axes"));
}

/// The places of axes that are added one after another, the least first: of two at one place, the
/// second moves the first on. More than a tensor may have are left to the op, which refuses them.
Shape added_places(Shape axes) {
  std::sort(axes.begin(), axes.end());
  if (static_cast<std::int64_t>(axes.size()) > kMostAxes ||
      (!axes.empty() && axes.back() > kMostAxes))
    return axes;
  Shape out;
  for (const std::int64_t axis : axes) {
    for (std::int64_t& place : out) place += axis >= 0 && place >= axis;
    out.push_back(axis);
  }
  return out;
}

OutletIds read_unsqueeze(Invocation& call) {
  const Shape axes = added_places(call.integers("axes"));
  return call.make(Unsqueeze{}, {call.wire("input"), call.integers_constant("axes", axes)});
}

Standard write_tile(const NodeView& node, GraphWriter& writer) {
  const auto repeats = constant_dims(node, 1);
  if (!repeats) return std::nullopt;
  return call("tile", {positional(writer.input(node, 0)), named("repeats", writer.dims(*repeats))});
}

OutletIds read_tile(Invocation& call) {
  return call.make(Tile{}, {call.wire("input"), call.sizes("repeats")});
}

/// tract's broadcast names the final shape, where Expand takes 1 for "as it is".
Standard write_expand(const NodeView& node, GraphWriter& writer) {
  const ShapeFact& out = node.output_fact().shape;
  const auto shape = out.concrete();
  if (!constant_dims(node, 1) || !shape) return std::nullopt;
  return call("tract_core_broadcast",
              {positional(writer.input(node, 0)), named("shape", numbers(*shape))});
}

OutletIds read_broadcast(Invocation& call) {
  const OutletId data = call.wire("input");
  return call.make(Expand{}, {data, call.sizes("shape")});
}

Standard write_shape_of(const NodeView& node, GraphWriter& writer) {
  const auto& op = *node.op().as<ShapeOf>();
  if (op.start != 0 || op.end) return std::nullopt;
  return call("tract_core_shape_of", {positional(writer.input(node, 0))});
}

OutletIds read_copy_n(Invocation& call) {
  const std::int64_t times = call.integer("times");
  if (times < 1) call.fail(cat(times, " copies"));
  call.count_assignments(times);
  return OutletIds(static_cast<std::size_t>(times), call.wire("x"));
}

OutletIds read_shape_of(Invocation& call) { return call.make(ShapeOf{}, {call.wire("input")}); }

}  // namespace

void register_shape(Writers& writers) {
  writers.add("Concat", write_concat);
  writers.add("Reshape", write_reshape);
  writers.add("Transpose", write_transpose);
  writers.add("Squeeze", write_squeeze);
  writers.add("Unsqueeze", write_unsqueeze);
  writers.add("Tile", write_tile);
  writers.add("Expand", write_expand);
  writers.add("ShapeOf", write_shape_of);
}

void register_shape(Readers& readers) {
  readers.add("concat", "values, axis", read_concat);
  readers.add("stack", "values, axis", read_stack);
  readers.add("reshape", "input, shape, axis_start, axis_count", read_reshape);
  readers.add("transpose", "input, axes", read_transpose);
  readers.add("squeeze", "input, axes", read_squeeze);
  readers.add("unsqueeze", "input, axes", read_unsqueeze);
  readers.add("tile", "input, repeats", read_tile);
  readers.add("tract_core_broadcast", "input, shape", read_broadcast);
  readers.add("tract_core_shape_of", "input", read_shape_of);
  readers.add("shape_of", "input", read_shape_of);
  readers.add("copy_n", "x, times", read_copy_n, FragmentKind::gives_list);
}

}  // namespace strata::opl
