#include "strata/core/ops/split_to_sequence.h"

#include <algorithm>

#include "ops/sequence_support.h"
#include "strata/core/ops/split.h"

namespace strata {
namespace {

/// The sizes of the parts of an axis of `extent`.
Shape part_sizes(Values in, std::int64_t extent) {
  if (in.size() < 2) return Shape(static_cast<std::size_t>(extent), 1);
  const Tensor& split = in[1].tensor();
  if (split.rank() == 1) return to_integers(split);
  check_data(split.rank() == 0, "(C2) split has shape ", Span(split.shape()));
  const std::int64_t part = to_integers(split)[0];
  check_data(part > 0, "(C3) parts of size ", part);
  Shape out;
  for (std::int64_t left = extent; left > 0; left -= part) out.push_back(std::min(left, part));
  return out;
}

/// How many parts there are and how long each is, as far as it is known.
struct Parts {
  std::optional<Dim> count;
  Dim size;
};

Parts known_parts(const Fact& split, const Dim& extent) {
  if (split.shape.is_open()) return {std::nullopt, fresh_dim()};
  const auto values = split.dims();
  if (split.shape.rank() == 0) {
    if (!values) return {std::nullopt, fresh_dim()};
    const Dim& part = (*values)[0];
    check(part.constant().value_or(1) > 0, "(C3) parts of size ", part);
    if (mod(extent, part) == Dim(0)) return {floor_div(extent, part), part};
    return {ceil_div(extent, part), fresh_dim()};
  }
  if (!values || values->empty()) return {split.shape[0], fresh_dim()};
  for (const Dim& size : *values)
    check(size.constant().value_or(0) >= 0, "(C3) the sizes are ", *values);
  const bool alike = std::all_of(values->begin(), values->end(),
                                 [&](const Dim& size) { return size == values->front(); });
  return {split.shape[0], alike ? values->front() : fresh_dim()};
}

}  // namespace

std::optional<bool> SplitToSequence::parts_keep_axis(const Fact* split) const {
  if (keep_axis || !split) return keep_axis;
  if (split->shape.is_open()) return std::nullopt;
  if (split->shape.rank() > 0) return true;
  const auto size = split->dims();
  if (!size || !size->front().is_constant()) return std::nullopt;
  return size->front() != Dim(1);
}

FactList SplitToSequence::output_facts(Facts in) const {
  check_arity(name, in, 1, 2);
  const ShapeFact& shape = in[0].shape;
  if (in.has(1))
    check(is_integer(in[1].dtype) && (in[1].shape.is_open() || in[1].shape.rank() <= 1),
          "(C2) split is ", in[1]);
  if (shape.is_open()) return {Fact::sequence(Fact::tensor(in[0].dtype, shape))};
  const std::size_t at = normalized_axis(axis, shape.rank());  // (C1)
  std::vector<Dim> dims = shape.dims();
  const Parts parts = in.has(1) ? known_parts(in[1], dims[at]) : Parts{dims[at], 1};
  dims[at] = parts.size;
  const auto keeps = parts_keep_axis(in.has(1) ? &in[1] : nullptr);
  if (keeps == false) dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(at));
  const ShapeFact part = keeps ? ShapeFact(std::move(dims)) : ShapeFact::open();
  return {Fact::sequence(Fact::tensor(in[0].dtype, part), parts.count)};
}

ValueList SplitToSequence::eval(Values in) const {
  const Tensor& data = in[0].tensor();
  const std::size_t at = axis_of_data(axis, data.rank());
  const Shape sizes = part_sizes(in, data.shape()[at]);
  const ValueType element = ValueType::tensor(data.dtype());
  if (sizes.empty()) {
    check_data(data.shape()[at] == 0, "(C4) no sizes for an axis of ", data.shape()[at]);
    return {Sequence{element, {}}};
  }
  const TypedOp split = Split{static_cast<std::int64_t>(at), sizes.size()};
  ValueList items = split.eval(ValueList{data, Tensor::vector<std::int64_t>(Span(sizes))});
  const auto split_fact = in.size() > 1 ? std::optional(Fact::of(in[1])) : std::nullopt;
  if (*parts_keep_axis(split_fact ? &*split_fact : nullptr))
    return {Sequence{element, std::move(items)}};
  for (Value& item : items) {
    Shape shape = item.tensor().shape();
    shape.erase(shape.begin() + at);
    item = item.tensor().reshaped(std::move(shape));
  }
  return {Sequence{element, std::move(items)}};
}

}  // namespace strata
