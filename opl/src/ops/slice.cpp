#include "strata/core/ops/slice.h"

#include <algorithm>
#include <limits>

#include "dims.h"
#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/split.h"

namespace strata::opl {
namespace {

constexpr std::int64_t kToTheEnd = std::numeric_limits<std::int64_t>::max();
/// Exporters write ends beyond this for "to the end".
constexpr std::int64_t kBeyondAnyAxis = std::int64_t{1} << 30;

struct Bounds {
  Dim begin;
  Dim end;
};

/// NNEF's bounds for Python's; none if NNEF cannot express them. On an axis of symbolic size they
/// are written in terms of that size, if an input has it, since tract neither counts from the end
/// of such an axis nor takes an end of 0 for it.
std::optional<Bounds> nnef_bounds(std::int64_t start, std::int64_t end, const Dim& dim,
                                  bool is_told) {
  if (const auto size = dim.constant()) {
    const auto clamped = [&](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + *size : at, 0, *size);
    };
    const std::int64_t first = clamped(start), behind = clamped(end);
    return first < behind ? std::optional(Bounds{first, behind}) : std::nullopt;
  }
  if (end == 0) return std::nullopt;
  const auto from_end = [&](std::int64_t at) { return is_told && at < 0 ? dim + at : Dim(at); };
  const Dim whole = is_told ? dim : Dim(0);
  return Bounds{from_end(start), end >= kBeyondAnyAxis ? whole : from_end(end)};
}

Standard write_slice(const NodeView& node, GraphWriter& writer) {
  const auto starts = constant_integers(node, 1), ends = constant_integers(node, 2);
  const auto rank = input_rank(node, 0);
  if (!starts || !ends || !rank || starts->size() != ends->size()) return std::nullopt;
  const std::size_t count = starts->size(), given = node.inputs().size();
  std::optional<Shape> axes = sequence_of(0, count), steps = Shape(count, 1);
  if (given > 3) axes = constant_integers(node, 3);
  if (given > 4) steps = constant_integers(node, 4);
  if (!axes || !steps || axes->size() != count || steps->size() != count) return std::nullopt;
  std::vector<Dim> begin, end;
  for (std::size_t i = 0; i < count; ++i) {
    (*axes)[i] = *normalized_axis((*axes)[i], rank);
    const Dim& dim = node.input_fact(0).shape[static_cast<std::size_t>((*axes)[i])];
    const auto bounds =
        nnef_bounds((*starts)[i], (*ends)[i], dim, axis_that_tells(node.model, dim).has_value());
    if (!bounds || (*steps)[i] < 1) return std::nullopt;
    begin.push_back(bounds->begin);
    end.push_back(bounds->end);
  }
  std::vector<Argument> arguments = {
      positional(writer.input(node, 0)), named("axes", numbers(*axes)),
      named("begin", writer.dims(begin)), named("end", writer.dims(end))};
  if (std::any_of(steps->begin(), steps->end(), [](std::int64_t step) { return step != 1; }))
    arguments.push_back(named("stride", numbers(*steps)));
  return call("slice", std::move(arguments));
}

/// A bound as in Python: one that is a number less than the size of the axis is counted from the
/// end.
Dim python_bound(const Dim& bound, const Dim& size) {
  if (bound.is_constant()) return bound;
  const auto from_end = (bound - size).constant();
  return from_end && *from_end < 0 ? Dim(*from_end) : bound;
}

/// An end of 0 means the end of the axis.
bool is_to_the_end(const Dim& end, const Dim& size) {
  return end == Dim(0) || (end == size && !size.is_constant());
}

OutletIds read_slice(Invocation& call) {
  const OutletId data = call.wire("input");
  const Shape axes = call.integers("axes");
  std::vector<Item> begins = call.size_items("begin"), ends = call.size_items("end");
  Shape steps = call.integers("stride");
  steps.resize(axes.size(), 1);
  if (begins.size() != axes.size() || ends.size() != axes.size())
    call.fail("begin, end and axes differ in length");
  const ShapeFact& shape = call.fact(data).shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (steps[i] < 1) call.unsupported("a stride below 1");
    const Dim size =
        shape.is_open() ? Dim(0) : shape[strata::normalized_axis(axes[i], shape.rank())];
    if (const auto begin = call.known_size(begins[i]))
      begins[i].content = python_bound(*begin, size);
    if (const auto end = call.known_size(ends[i]))
      ends[i].content = is_to_the_end(*end, size) ? Dim(kToTheEnd) : python_bound(*end, size);
  }
  return call.make(Slice{},
                   {data, call.size_vector("begin", begins), call.size_vector("end", ends),
                    call.integers_constant("axes", axes), call.integers_constant("stride", steps)});
}

/// Every stride-th element of an axis, from `modulo` on; with a negative stride, of those from the
/// last to the first.
OutletIds read_downsample(Invocation& call) {
  const std::int64_t stride = call.integer("stride"), modulo = call.integer("modulo", 0);
  const OutletId axes = call.integers_constant("axes", Shape{call.integer("axis")});
  OutletId data = call.wire("input");
  if (stride < 0 && modulo != 0)
    data = call.step("from", Slice{},
                     {data, call.integers_constant("from_begin", Shape{modulo}),
                      call.integers_constant("from_end", Shape{kToTheEnd}), axes});
  const Shape begin{stride < 0 ? -1 : modulo}, end{stride < 0 ? -kToTheEnd : kToTheEnd};
  return call.make(
      Slice{}, {data, call.integers_constant("begin", begin), call.integers_constant("end", end),
                axes, call.integers_constant("stride", Shape{stride})});
}

OutletId vector_operand(Invocation& call, std::string_view parameter) {
  const OutletId wire = call.wire(parameter);
  return call.rank(wire) == 0 ? unsqueeze(call, parameter, wire, Shape{0}) : wire;
}

OutletIds read_dyn_slice(Invocation& call) {
  return call.make(Slice{},
                   {call.wire("input"), vector_operand(call, "start"), vector_operand(call, "end"),
                    call.integers_constant("axes", Shape{call.integer("axis")})});
}

/// The sizes of the parts, if they add up to the known size of the axis. Otherwise Split is an
/// error, where slices would be cut short or leave elements out.
std::optional<Shape> part_sizes(const NodeView& node, std::int64_t axis) {
  const auto& op = *node.op().as<Split>();
  const auto size = node.input_fact(0).shape[static_cast<std::size_t>(axis)].constant();
  if (!size) return std::nullopt;
  if (node.inputs().size() > 1) return constant_integers(node, 1);
  const auto count = static_cast<std::int64_t>(op.outputs);
  const std::int64_t part = (*size + count - 1) / count;
  Shape out;
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back(std::clamp<std::int64_t>(*size - i * part, 0, part));
  return out;
}

/// A slice for each part.
Standard write_split(const NodeView& node, GraphWriter& writer) {
  const auto rank = input_rank(node, 0);
  const auto axis = normalized_axis(node.op().as<Split>()->axis, rank);
  const auto sizes = rank ? part_sizes(node, *axis) : std::nullopt;
  if (!sizes || sizes->size() < 2 ||
      std::any_of(sizes->begin(), sizes->end(), [](std::int64_t s) { return s < 1; }))
    return std::nullopt;
  std::vector<Expression> parts;
  std::int64_t begin = 0;
  for (const std::int64_t size : *sizes) {
    parts.push_back(
        call("slice",
             {positional(writer.input(node, 0)), named("axes", numbers(Shape{*axis})),
              named("begin", numbers(Shape{begin})), named("end", numbers(Shape{begin + size}))}));
    begin += size;
  }
  return tuple(std::move(parts));
}

/// NNEF's split, whose parts are as `ratios` to each other.
OutletIds read_split(Invocation& call) {
  const OutletId data = call.wire("value");
  const std::int64_t axis = call.integer("axis");
  const Shape ratios = call.integers("ratios");
  std::int64_t sum = 0;
  for (const std::int64_t ratio : ratios) sum += ratio;
  if (axis < 0 || axis >= static_cast<std::int64_t>(call.rank(data)) || sum < 1)
    call.fail("the axis or the ratios do not fit");
  const Dim unit = floor_div(call.fact(data).shape[static_cast<std::size_t>(axis)], Dim(sum));
  std::vector<Dim> sizes;
  for (const std::int64_t ratio : ratios) sizes.push_back(unit * Dim(ratio));
  return call.make(Split{axis, ratios.size()}, {data, call.size_vector("sizes", sizes)});
}

OutletIds read_unstack(Invocation& call) {
  const OutletId data = call.wire("value");
  const std::int64_t axis = call.integer("axis");
  if (axis < 0 || axis >= static_cast<std::int64_t>(call.rank(data)))
    call.fail("the axis does not fit");
  const auto count = call.fact(data).shape[static_cast<std::size_t>(axis)].constant();
  if (!count) call.unsupported("unstack along an axis of unknown size");
  call.count_assignments(*count);
  OutletIds out;
  for (std::int64_t i = 0; i < *count; ++i) {
    const OutletId part = call.step(
        "part", Slice{},
        {data, call.integers_constant("begin", Shape{i}),
         call.integers_constant("end", Shape{i + 1}), call.integers_constant("axes", Shape{axis})});
    out.push_back(squeeze(call, "element", part, Shape{axis}));
  }
  return out;
}

}  // namespace

void register_slice(Writers& writers) {
  writers.add("Slice", write_slice);
  writers.add("Split", write_split);
}

void register_slice(Readers& readers) {
  readers.add("slice", "input, axes, begin, end, stride", read_slice);
  readers.add("tract_core_downsample", "input, axis, stride, modulo", read_downsample);
  readers.add("tract_core_dyn_slice", "input, start, end, len, axis", read_dyn_slice);
  readers.add("split", "value, axis, ratios", read_split, FragmentKind::gives_list);
  readers.add("unstack", "value, axis", read_unstack, FragmentKind::gives_list);
}

}  // namespace strata::opl
