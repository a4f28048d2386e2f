#include <cmath>

#include "dims.h"
#include "invocation.h"
#include "reader.h"
#include "strata/core/fact_dims.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/opl/parser.h"

// Invocation: the wires that are its operands, and those that it makes.

namespace strata::opl {
namespace {

/// A literal's numbers as `type`, straight from their text, so that none is rounded twice; nothing
/// where the type has no such number.
std::optional<Tensor> literal_of_type(const Item& item, DatumType type) {
  if (const auto* number = item.get_if<Number>(); number && type == DatumType::f64)
    return Tensor::scalar(number->as_double());
  const auto tensor = literal_tensor(item);
  if (!tensor || tensor->dtype() == type || tensor->dtype() == DatumType::dim) return tensor;
  if (tensor->dtype() == DatumType::string || type == DatumType::string) return std::nullopt;
  Tensor made = cast(*tensor, type);
  for (std::int64_t i = 0; is_integer(type) && i < made.size(); ++i)
    if (number_at(made, i) != std::trunc(number_at(*tensor, i))) return std::nullopt;
  return made;
}

}  // namespace

OutletId Invocation::operand(const Item& item) {
  if (const auto* wire = item.get_if<OutletId>()) return *wire;
  auto tensor = literal_tensor(item);
  if (!tensor) fail_at(item.position, cat("a tensor is wanted, not ", describe(item)));
  return literal("literal", *std::move(tensor), DatumType::i64);
}

OutletId Invocation::operand(const Item& item, DatumType type) {
  if (const auto* wire = item.get_if<OutletId>()) return *wire;
  auto tensor = literal_of_type(item, type);
  if (!tensor) {
    const auto given = literal_tensor(item);
    fail_at(item.position, cat("a tensor of type ", type, " is wanted, not ",
                               given ? given->to_string() : describe(item)));
  }
  return literal("literal", *std::move(tensor), type);
}

/// The tensor as a constant; symbolic sizes are computed from the shapes of inputs.
OutletId Invocation::literal(std::string_view hint, Tensor tensor, DatumType type) {
  if (tensor.dtype() != DatumType::dim) return constant(hint, std::move(tensor));
  OutletIds parts;
  for (const Dim& dim : tensor.as<Dim>()) parts.push_back(size(dim));
  const OutletId sizes = step("sizes", Concat{0}, parts);
  const OutletId shaped =
      step("shaped", Reshape{}, {sizes, integers_constant("shape", tensor.shape())});
  return step("number", Cast{type}, {shaped});
}

/// A vector of one size: a number, a symbol plus a number, or an expression of these.
OutletId Invocation::size(const Dim& dim) {
  if (const auto known = dim.constant()) return integers_constant("size", Shape{*known});
  const auto known = axis_that_tells(reader_.model(), dim);
  if (!known && dim.as_symbol()) unsupported(cat("a number that no input tells, ", dim));
  if (!known) return computed_size(dim);
  const OutletId axis = step("axis", ShapeOf{known->axis, known->axis + 1}, {known->input});
  return step("size", strata::Binary{BinaryOp::add},
              {axis, integers_constant("more", Shape{known->more})});
}

/// An expression of several symbols, each of which is the size of an input.
OutletId Invocation::computed_size(const Dim& dim) {
  Scope scope;
  Dim::Bindings plain;  // names that the grammar knows
  for (const std::string& symbol : dim.symbols()) {
    const std::string name = cat('_', scope.items.size());
    scope.items.emplace(name, Item{size(Dim::symbol(symbol)), {}});
    plain.emplace(symbol, Dim::symbol(name));
  }
  const Expression expression = parse_expression(dim.substitute(plain).to_string(), "a size");
  return operand(ExpressionReader(reader_, scope).read(expression, helper_name("size")));
}

OutletId Invocation::wire(std::string_view parameter) { return operand(item(parameter)); }

OutletId Invocation::wire(std::string_view parameter, DatumType type) {
  return operand(item(parameter), type);
}

OutletIds Invocation::wires(std::string_view parameter) {
  const Item& argument = item(parameter);
  if (argument.is_wire()) return {operand(argument)};
  const auto* list = argument.get_if<Item::List>();
  if (list == nullptr)
    fail_at(argument.position, cat("a list of tensors is wanted, not ", describe(argument)));
  OutletIds out;
  std::optional<DatumType> type;
  for (const Item& each : *list)
    if (const auto* wire = each.get_if<OutletId>(); wire && fact(*wire).is_tensor())
      type = fact(*wire).dtype;
  for (const Item& each : *list) out.push_back(type ? operand(each, *type) : operand(each));
  return out;
}

OutletId Invocation::sizes(std::string_view parameter) {
  const Item& argument = item(parameter);
  return argument.is_wire() ? as_size_vector(operand(argument))
                            : size_vector(parameter, size_items(parameter));
}

const Fact& Invocation::fact(OutletId outlet) const { return reader_.model().fact(outlet); }

const TypedNode& Invocation::maker(OutletId outlet) const {
  return reader_.model().node(outlet.node);
}

std::size_t Invocation::rank(OutletId outlet) const {
  const Fact& known = fact(outlet);
  if (!known.is_tensor() || known.shape.is_open())
    unsupported(cat(fragment_, " on a tensor of unknown rank"));
  return known.shape.rank();
}

std::string Invocation::helper_name(std::string_view hint) const {
  return reader_.helper_name(cat(target_, '_', hint));
}

OutletIds Invocation::make(const TypedOp& op, const OutletIds& inputs) {
  return reader_.model().wire(target_, op, inputs);
}

OutletIds Invocation::make(UnaryOp op, OutletId x) { return make(strata::Unary{op}, {x}); }

OutletIds Invocation::make(BinaryOp op, OutletId left, OutletId right) {
  return make(strata::Binary{op}, {left, right});
}

OutletIds Invocation::as_result(OutletId wire) {
  reader_.model().name_like(wire.node, target_);
  return {wire};
}

Builder Invocation::builder() const { return {reader_.model(), target_}; }

OutletId Invocation::step(std::string_view hint, const TypedOp& op, const OutletIds& inputs) {
  return reader_.model().wire_one(helper_name(hint), op, inputs);
}

OutletId Invocation::step(std::string_view hint, UnaryOp op, OutletId x) {
  return step(hint, strata::Unary{op}, {x});
}

OutletId Invocation::step(std::string_view hint, BinaryOp op, OutletId left, OutletId right) {
  return step(hint, strata::Binary{op}, {left, right});
}

OutletIds Invocation::steps(std::string_view hint, const TypedOp& op, const OutletIds& inputs) {
  return reader_.model().wire(helper_name(hint), op, inputs);
}

OutletId Invocation::constant(std::string_view hint, Value value) {
  return reader_.model().constant(helper_name(hint), std::move(value));
}

OutletId Invocation::number_constant(std::string_view hint, DatumType type, double value) {
  return constant(hint, cast(Tensor::scalar(value), type));
}

OutletId Invocation::integers_constant(std::string_view hint, const Shape& values) {
  return constant(hint, Tensor::vector<std::int64_t>(values));
}

OutletId Invocation::size_vector(std::string_view hint, const std::vector<Dim>& dims) {
  return literal(hint, dims_tensor(dims), DatumType::i64);
}

OutletId Invocation::size_vector(std::string_view hint, const std::vector<Item>& items) {
  std::vector<Dim> known;
  for (const Item& item : items)
    if (const auto size = known_size(item)) known.push_back(*size);
  if (known.size() == items.size()) return size_vector(hint, known);
  OutletIds parts;
  for (const Item& item : items) {
    const auto size = known_size(item);
    if (!size && !item.is_wire())
      fail_at(item.position, cat("a size is wanted, not ", describe(item)));
    parts.push_back(size ? this->size(*size) : as_size_vector(operand(item)));
  }
  return step(hint, Concat{0}, parts);
}

/// Integers that a wire holds, as sizes are: a vector of i64.
OutletId Invocation::as_size_vector(OutletId wire) {
  if (fact(wire).dtype != DatumType::i64) wire = step("integers", Cast{DatumType::i64}, {wire});
  return rank(wire) == 0 ? step("vector", Unsqueeze{}, {wire, integers_constant("axes", Shape{0})})
                         : wire;
}

OutletIds Invocation::make_constant(Value value) {
  return {reader_.model().constant(target_, std::move(value))};
}

OutletIds Invocation::make_source(Fact fact) {
  Shape known;
  for_each_dim(fact, [&](const Dim& dim) {
    if (const auto size = dim.constant()) known.push_back(*size);
  });
  element_count(known);
  return {reader_.model().add_source(target_, std::move(fact))};
}

OutletIds Invocation::forward(std::string_view fragment, Arguments arguments) {
  const Item result =
      reader_.invoke(std::string(fragment), target_, std::move(arguments), position_);
  if (const auto* wire = result.get_if<OutletId>()) return {*wire};
  OutletIds out;
  if (const auto* list = result.get_if<Item::List>())
    for (const Item& each : *list)
      if (const auto* wire = each.get_if<OutletId>()) out.push_back(*wire);
  return out;
}

}  // namespace strata::opl
