#include "strata/core/ops/slice.h"

#include <algorithm>

#include "ops/movement.h"
#include "ops/operand_kinds.h"
#include "ops/slice_cut.h"
#include "strata/core/only_number.h"
#include "strata/core/ops/concat.h"
#include "strata/core/patch.h"

namespace strata {
namespace {

/// Bounds beyond any size, whatever the size is.
constexpr std::int64_t kFar = std::int64_t{1} << 62;

/// The greatest i32 stands for the end of an axis too, as exporters write it, and the least for
/// what is before its start.
bool is_beyond_all(std::int64_t bound) { return bound >= kFar || bound == INT32_MAX; }
bool is_before_all(std::int64_t bound) {
  return bound <= -kFar || bound == INT32_MIN || bound == -INT32_MAX;
}

/// `bound` counted from the start of the axis, or nothing where its sign is not known. `least` and
/// `greatest` clamp it.
std::optional<Dim> clamped(const Dim& bound, const Dim& extent, std::int64_t least,
                           const Dim& greatest) {
  const auto value = bound.constant();
  if (value && is_beyond_all(*value)) return greatest;
  Dim at = bound;
  if (value && is_before_all(*value)) {
    at = least;
  } else if (!is_never_negative(bound)) {
    if (!is_never_negative(Dim(-1) - bound)) return std::nullopt;
    at = at + extent;
  }
  if (at == greatest) return at;
  if (!is_never_negative(at - Dim(least))) at = max(at, least);
  if (!is_never_negative(greatest - at)) at = min(at, greatest);
  return at;
}

/// How many elements a slice takes, or a fresh dim if that is not known.
Dim count_of(const Dim& extent, const Dim& start, const Dim& end, std::int64_t step) {
  if (extent.is_constant() && start.is_constant() && end.is_constant())
    return cut(*extent.constant(), *start.constant(), *end.constant(), step).count;
  const Dim greatest = step > 0 ? extent : extent - Dim(1);
  const auto from = clamped(start, extent, 0, greatest),
             to = clamped(end, extent, step > 0 ? 0 : -1, greatest);
  constexpr std::int64_t kLongest = std::int64_t{1} << 31;
  if (!from || !to || step >= kLongest || step <= -kLongest) return fresh_dim();
  return at_least_zero(step > 0 ? ceil_div(*to - *from, step) : ceil_div(*from - *to, -step));
}

void check_operands(Facts in) {
  const auto length = known_length(in[1]);
  for (std::size_t i = 1; i < in.size(); ++i) {
    check(may_be_integer_vector(in[i]), "(C1) operand ", i, " is ", in[i],
          ", no vector of integers");
    const auto other = known_length(in[i]);
    check(!length || !other || *length == *other, "(C1) ", length.value_or(0), " starts and ",
          other.value_or(0), " of operand ", i);
  }
  if (in.has(4))
    if (const auto steps = in[4].integers())
      check(std::find(steps->begin(), steps->end(), 0) == steps->end(), "(C3) the steps are ",
            Span(*steps));
}

/// The axes in the order of the operands, when they are known.
std::optional<std::vector<std::size_t>> ordered_axes(Facts in, std::size_t rank) {
  std::vector<std::size_t> out;
  if (!in.has(3)) {
    const auto count = known_length(in[1]);
    if (!count) return std::nullopt;
    check(*count <= static_cast<std::int64_t>(rank), "(C2) ", *count, " axes are more than rank ",
          rank);
    for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) out.push_back(i);
    return out;
  }
  if (!known_axes(in[3], rank)) return std::nullopt;  // checks (C2) as well
  const Shape axes = *in[3].integers();
  for (const std::int64_t axis : axes) out.push_back(normalized_axis(axis, rank));
  return out;
}

}  // namespace

FactList Slice::output_facts(Facts in) const {
  check_arity(name, in, 3, 5);
  check_operands(in);
  const ShapeFact& shape = in[0].shape;
  if (shape.is_open()) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  const auto axes = ordered_axes(in, shape.rank());
  if (!axes) return {Fact::tensor(in[0].dtype, fresh_shape(shape.rank()))};
  const auto starts = in[1].dims(), ends = in[2].dims();
  const auto steps = in.has(4) ? in[4].integers() : Shape(axes->size(), 1);
  std::vector<Dim> dims = shape.dims();
  for (std::size_t i = 0; i < axes->size(); ++i) {
    Dim& dim = dims[(*axes)[i]];
    dim = starts && ends && steps ? count_of(dim, (*starts)[i], (*ends)[i], (*steps)[i])
                                  : fresh_dim();
  }
  return {Fact::tensor(in[0].dtype, std::move(dims))};
}

SlicedView sliced_view(Tensors in) {
  const Shape& data = in[0].shape();
  const Shape starts = to_integers(in[1]), ends = to_integers(in[2]);
  if (in.size() > 3) (void)sorted_axes(in[3], data.size());  // checks (C2)
  const Shape axes = in.size() > 3 ? to_integers(in[3]) : all_axes(starts.size());
  const Shape steps = in.size() > 4 ? to_integers(in[4]) : Shape(starts.size(), 1);
  check_data(
      ends.size() == starts.size() && axes.size() == starts.size() && steps.size() == starts.size(),
      "(C1) the operands have ", starts.size(), ", ", ends.size(), ", ", axes.size(), " and ",
      steps.size(), " elements");
  SlicedView view{data, row_major_strides(data)};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = axis_of_data(axes[i], data.size());
    check_data(steps[i] != 0, "(C3) the steps are ", Span(steps));
    const Cut taken = cut(data[axis], starts[i], ends[i], steps[i]);
    view.shape[axis] = taken.count;
    if (taken.count > 0) view.offset += taken.start * view.strides[axis];
    view.strides[axis] *= taken.count > 1 ? steps[i] : 1;
  }
  return view;
}

TensorList Slice::eval(Tensors in) const {
  const SlicedView view = sliced_view(in);
  return {strided_copy(in[0], view.shape, view.strides, view.offset)};
}

namespace {

/// The slice of a Concat along its axis, if it lies within one of its inputs, of that input.
Rewrite within_part(const NodeView& node) {
  const Concat* join = node.producer_as<Concat>(0);
  const auto operand = [&](std::size_t i, std::int64_t otherwise) {
    return node.inputs().size() > i ? only_integer(node.input_fact(i)) : otherwise;
  };
  const auto start = operand(1, 0), end = operand(2, 0), along = operand(3, 0),
             step = operand(4, 1);
  if (!join || !start || !end || !along || step != 1) return no_change;
  const NodeView parts = node.producer(0);
  const std::size_t rank = node.input_fact(0).shape.rank();
  const std::size_t axis = normalized_axis(join->axis, rank);
  if (normalized_axis(*along, rank) != axis) return no_change;
  const auto extent = node.input_fact(0).shape[axis].constant();
  if (!extent) return no_change;
  const Cut taken = cut(*extent, *start, *end, 1);
  std::int64_t begin = 0;
  for (const OutletId part : parts.inputs()) {
    const ShapeFact& shape = node.model.fact(part).shape;
    const auto size = shape.is_open() ? std::nullopt : shape[axis].constant();
    if (!size) return no_change;
    const std::int64_t from = taken.start - begin;
    begin += *size;
    if (from < 0 || taken.count == 0 || from + taken.count > *size) continue;
    if (taken.count == *size) return bypass(node, part);
    Patch patch(node);
    const auto bound = [&](std::string_view name, std::int64_t value) {
      return patch.constant(name, Tensor::of<std::int64_t>({1}, {value}));
    };
    patch.shunt(node.output(),
                patch.wire_one("", Slice{},
                               {part, bound("start", from), bound("end", from + taken.count),
                                bound("axis", static_cast<std::int64_t>(axis))}));
    return patch;
  }
  return no_change;
}

}  // namespace

/// Slice(x) of all there is          ->  x
/// Slice(Concat(.., x, ..)) in x     ->  Slice(x)
Rewrite Slice::declutter(const NodeView& node) const {
  const ShapeFact& before = node.input_fact(0).shape;
  if (before.is_open()) return no_change;
  if (before != node.output_fact().shape) return within_part(node);
  if (node.inputs().size() > 4) {
    const auto steps = node.input_fact(4).integers();
    if (!steps ||
        !std::all_of(steps->begin(), steps->end(), [](std::int64_t step) { return step > 0; }))
      return no_change;
  }
  return bypass(node, node.input(0));
}

}  // namespace strata
