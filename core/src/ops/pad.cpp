#include "strata/core/ops/pad.h"

#include <algorithm>

#include "ops/movement.h"
#include "ops/operand_kinds.h"
#include "ops/pad_source.h"
#include "ops/padded_image.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/slice.h"
#include "strata/core/patch.h"

namespace strata {
namespace {

/// The amounts before and after each axis of `rank`, from operands in the order of `axes`.
template <class T>
std::vector<std::pair<T, T>> by_axis(std::span<const T> pads, const Shape& axes, std::size_t rank) {
  std::vector<std::pair<T, T>> out(rank);
  for (std::size_t i = 0; i < axes.size(); ++i)
    out[normalized_axis(axes[i], rank)] = {pads[i], pads[axes.size() + i]};
  return out;
}

void check_operands(Facts in) {
  check(may_be_integer_vector(in[1]), "(C1) the pads are ", in[1]);
  if (in.has(2))
    check(in[2].dtype == in[0].dtype, "(C2) a value of ", in[2].dtype, " does not pad ",
          in[0].dtype);
  if (in.has(3)) check(is_integer(in[3].dtype), "(C3) the axes are ", in[3], ", no integers");
}

Tensor zero_of(DatumType type) { return MutableTensor::zeros(type, {}).freeze(); }

/// For each index of an axis of the output the offset it contributes, or -1 for the constant.
std::vector<std::vector<std::int64_t>> offsets_by_axis(const Shape& from, const Shape& to,
                                                       const std::vector<std::int64_t>& before,
                                                       PadMode mode) {
  const Shape strides = row_major_strides(from);
  std::vector<std::vector<std::int64_t>> out(from.size());
  for (std::size_t axis = 0; axis < from.size(); ++axis)
    for (std::int64_t i = 0; i < to[axis]; ++i) {
      const std::int64_t source = pad_source(i - before[axis], from[axis], mode);
      out[axis].push_back(source < 0 ? -1 : source * strides[axis]);
    }
  return out;
}

}  // namespace

FactList Pad::output_facts(Facts in) const {
  check_arity(name, in, 2, 4);
  check_operands(in);
  const ShapeFact& shape = in[0].shape;
  if (shape.is_open()) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  const auto pads = in[1].dims();
  const auto axes = in.has(3) ? in[3].integers() : all_axes(shape.rank());
  if (axes && in.has(3)) (void)known_axes(in[3], shape.rank());  // checks (C3)
  const auto length = known_length(in[1]);
  check(!axes || !length || *length == 2 * static_cast<std::int64_t>(axes->size()), "(C1) ",
        length.value_or(0), " pads for ", axes ? axes->size() : 0, " axes");
  if (!pads || !axes) return {Fact::tensor(in[0].dtype, fresh_shape(shape.rank()))};
  std::vector<Dim> dims = shape.dims();
  const auto amounts = by_axis<Dim>(*pads, *axes, dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    dims[i] += amounts[i].first + amounts[i].second;
    check(dims[i].constant().value_or(0) >= 0, "(C4) pads ", *pads, " leave ", dims[i],
          " elements of axis ", i, " of ", shape);
  }
  return {Fact::tensor(in[0].dtype, std::move(dims))};
}

TensorList Pad::eval(Tensors in) const {
  const Tensor& data = in[0];
  const Shape pads = to_integers(in[1]);
  if (in.size() > 3) (void)sorted_axes(in[3], data.rank());  // checks (C3)
  const Shape axes = in.size() > 3 ? to_integers(in[3]) : all_axes(data.rank());
  check_data(pads.size() == 2 * axes.size(), "(C1) ", pads.size(), " pads for ", axes.size(),
             " axes");
  Shape shape = data.shape();
  std::vector<std::int64_t> before;
  for (const auto& [first, last] : by_axis<std::int64_t>(pads, axes, data.rank())) {
    const std::size_t axis = before.size();
    before.push_back(first);
    const std::int64_t extent = shape[axis];
    check_data(!__builtin_add_overflow(shape[axis], first, &shape[axis]) &&
                   !__builtin_add_overflow(shape[axis], last, &shape[axis]) && shape[axis] >= 0,
               "(C4) pads ", Span(pads), " leave less than nothing of ", Span(data.shape()));
    check_data(mode == PadMode::constant || extent > 0 || shape[axis] == 0, "(C5) axis ", axis,
               " has no elements to pad with");
  }
  MutableTensor out(data.dtype(), shape);
  if (out.size() == 0) return {std::move(out).freeze()};
  const auto offsets = offsets_by_axis(data.shape(), shape, before, mode);
  const Tensor fill = in.size() > 2 && in[2].size() == 1 ? in[2] : zero_of(data.dtype());
  std::int64_t place = 0;
  for_each_index(shape, [&](const Shape& index) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < index.size() && offset >= 0; ++i) {
      const std::int64_t step = offsets[i][static_cast<std::size_t>(index[i])];
      offset = step < 0 ? -1 : offset + step;
    }
    copy_elements(offset < 0 ? fill : data, std::max<std::int64_t>(offset, 0), 1, out, place++);
  });
  return {std::move(out).freeze()};
}

namespace {

/// Whether the node is a Quantize or Dequantize of one constant scale for all.
bool is_of_one_scale(const NodeView& node) {
  if (!node.op().as<Quantize>() && !node.op().as<Dequantize>()) return false;
  for (std::size_t i = 1; i < node.inputs().size(); ++i) {
    const Tensor* operand = node.input_fact(i).constant();
    if (!operand || operand->size() != 1) return false;
  }
  return true;
}

/// What the node makes of one number.
Tensor made_of(const NodeView& node, Tensor number) {
  ValueList operands{Value(std::move(number))};
  for (std::size_t i = 1; i < node.inputs().size(); ++i)
    operands.emplace_back(node.input_fact(i).constant()->reshaped({}));
  return node.op().eval(operands)[0].tensor();
}

/// The Pad's constant; nothing where it is not known.
std::optional<Tensor> number_of(const NodeView& pad) {
  const Tensor* value = pad.inputs().size() > 2 ? pad.input_fact(2).constant() : nullptr;
  if (value && value->size() == 1) return value->reshaped({});
  if (pad.inputs().size() > 2 && !value) return std::nullopt;
  return zero_of(pad.input_fact(0).dtype);
}

}  // namespace

std::optional<PaddedImage> padded_image(const NodeView& window) {
  PaddedImage out{};
  OutletId wire = window.input(0);
  for (; is_of_one_scale({window.model, wire.node}); wire = window.model.node(wire.node).inputs[0])
    out.behind.push_back(wire.node);
  const NodeView node{window.model, wire.node};
  const Pad* pad = node.op().as<Pad>();
  if (!pad || pad->mode != PadMode::constant || node.input_fact(0).shape.is_open())
    return std::nullopt;
  const std::size_t rank = node.input_fact(0).shape.rank();
  const auto pads = node.input_fact(1).integers();
  const auto axes = node.inputs().size() > 3 ? node.input_fact(3).integers() : all_axes(rank);
  auto value = number_of(node);
  if (!pads || !axes || !value) return std::nullopt;
  const auto amounts = by_axis<std::int64_t>(*pads, *axes, rank);
  Shape after;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const auto [first, last] = amounts[axis];
    if (axis < 2 ? first != 0 || last != 0 : first < 0 || last < 0) return std::nullopt;
    if (axis < 2) continue;
    out.amounts.push_back(first);
    after.push_back(last);
  }
  out.amounts.insert(out.amounts.end(), after.begin(), after.end());
  for (std::size_t i = out.behind.size(); i-- > 0;)
    value = made_of({window.model, out.behind[i]}, *std::move(value));
  out.image = node.input(0);
  out.value = number_at(*value, 0);
  return out;
}

Rewrite without_pad(const NodeView& window, const PaddedImage& padded, TypedOp op) {
  Patch patch(window);
  OutletIds operands = window.inputs();
  operands[0] = padded.image;
  for (std::size_t i = padded.behind.size(); i-- > 0;) {
    const TypedNode& node = window.model.node(padded.behind[i]);
    OutletIds inputs = node.inputs;
    inputs[0] = operands[0];
    operands[0] = patch.wire_one(node.name, node.op, inputs);
  }
  patch.shunt(window.output(), patch.wire_one("", std::move(op), operands));
  return patch;
}

std::optional<Padding> joined(const PaddedImage& image, const Padding& padding) {
  Padding out{Padding::Kind::fixed, image.amounts};
  if (padding.kind == Padding::Kind::valid ||
      (padding.kind == Padding::Kind::fixed && padding.amounts.empty()))
    return out;
  if (padding.kind != Padding::Kind::fixed) return std::nullopt;
  for (std::size_t i = 0; i < out.amounts.size(); ++i)
    if (__builtin_add_overflow(out.amounts[i], padding.amounts[i], &out.amounts[i]))
      return std::nullopt;
  return out;
}

namespace {

/// Pad(x, pads)  ->  Slice(Pad(x, max(pads, 0))), where elements are taken from axes of known
/// sizes, not 0: a Slice may take more than there is
Rewrite taken_after(const NodeView& node, const Pad& pad, const Shape& pads) {
  constexpr std::int64_t kFar = std::int64_t{1} << 62;  // the negative of a pad is a number
  const std::int64_t least = *std::min_element(pads.begin(), pads.end());
  const ShapeFact& shape = node.input_fact(0).shape;
  if (least >= 0 || least < -kFar || shape.is_open() || node.inputs().size() > 3) return no_change;
  const std::size_t axes = pads.size() / 2;
  std::vector<std::int64_t> added, begin, end;
  for (const std::int64_t amount : pads) added.push_back(std::max<std::int64_t>(amount, 0));
  for (std::size_t i = 0; i < axes; ++i) {
    const bool takes = pads[i] < 0 || pads[axes + i] < 0;
    if (takes && shape[i].constant().value_or(0) == 0) return no_change;
    begin.push_back(added[i] - pads[i]);
    end.push_back(pads[axes + i] < 0 ? pads[axes + i] : INT64_MAX);
  }
  Patch patch(node);
  const auto integers = [&](std::string_view name, const std::vector<std::int64_t>& values) {
    return patch.constant(name, Tensor::vector<std::int64_t>(values));
  };
  OutletIds operands = node.inputs();
  operands[1] = integers("pads", added);
  const OutletId padded = patch.wire_one("padded", pad, operands);
  patch.shunt(
      node.output(),
      patch.wire_one("", Slice{}, {padded, integers("begin", begin), integers("end", end)}));
  return patch;
}

}  // namespace

/// Pad(x, 0..)                    ->  x
/// Pad that repeats and takes     ->  a Slice of one that repeats, see `taken_after`
Rewrite Pad::declutter(const NodeView& node) const {
  const auto pads = node.input_fact(1).integers();
  if (!pads) return no_change;
  if (std::all_of(pads->begin(), pads->end(), [](std::int64_t n) { return n == 0; }))
    return bypass(node, node.input(0));
  return mode == PadMode::constant ? no_change : taken_after(node, *this, *pads);
}

}  // namespace strata
