#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "invocation.h"
#include "registry.h"
#include "writer.h"

/// What the forms of several ops share.
namespace strata::opl {

using Standard = std::optional<Expression>;

/// `"floor"`: an enumerator by its name.
template <NamedEnum E>
Expression enumerator(E value) {
  return string(std::string(name_of(value)));
}

/// The wire as `type`, by a node of its own where it has another.
OutletId as_type(Invocation& call, std::string_view hint, OutletId wire, DatumType type);

/// The rank of an input, where it is known.
std::optional<std::size_t> input_rank(const NodeView& node, std::size_t i);
/// Axes counted from the start and sorted; none where that takes a rank that is not known.
std::optional<Shape> normalized_axes(Shape axes, std::optional<std::size_t> rank);
/// The same for one axis.
std::optional<std::int64_t> normalized_axis(std::int64_t axis, std::optional<std::size_t> rank);

/// `[(a, b), …]`
Expression pairs(const std::vector<std::pair<std::int64_t, std::int64_t>>& values);

/// An operand of an op that broadcasts numpy's way, for a format that adds axes at the end: those
/// that are missing in front are put in by an assignment of their own.
Expression with_rank(const NodeView& node, GraphWriter& writer, std::size_t i, std::size_t rank);
/// The greatest rank of the inputs; none where one is not known.
std::optional<std::size_t> greatest_rank(const NodeView& node);

/// Brings operands to one rank by axes of size 1 at the end, as NNEF asks for; scalars stay.
/// Operands of unknown rank are left alone.
OutletIds with_trailing_axes(Invocation& call, OutletIds operands);

/// Two operands brought to one type, as in tract: a known number takes the type of the other
/// operand, otherwise the narrower is widened. A float and an integer stay as they are.
OutletIds of_one_type(Invocation& call, OutletIds operands);

/// Two operands without the axes of size 1 that `with_rank` put in front of one, where the other
/// has as many axes, and `least` are left.
OutletIds without_leading_axes(Invocation& call, OutletIds operands, std::size_t least = 0);

OutletId unsqueeze(Invocation& call, std::string_view hint, OutletId data, const Shape& axes);
OutletId squeeze(Invocation& call, std::string_view hint, OutletId data, const Shape& axes);
/// The same, as the result.
OutletIds make_squeeze(Invocation& call, OutletId data, const Shape& axes);
/// The fact of slices of `size` rows along an axis of a known shape; negative ones count from the
/// end. Throws: invalid_model where the shape has no such axis.
Fact sliced(Fact fact, std::int64_t axis, std::int64_t size);
/// `count` numbers from `first` on.
Shape sequence_of(std::int64_t first, std::size_t count);

}  // namespace strata::opl
