#include "invocation.h"

#include <algorithm>

#include "dims.h"
#include "reader.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/opl/parser.h"

namespace strata::opl {
namespace {

/// A literal's numbers as `type`, straight from their text, so that none is rounded twice.
std::optional<Tensor> literal_of_type(const Item& item, DatumType type) {
  if (const auto* number = item.get_if<Number>(); number && type == DatumType::f64)
    return Tensor::scalar(number->as_double());
  const auto tensor = literal_tensor(item);
  if (!tensor || tensor->dtype() == type || tensor->dtype() == DatumType::dim) return tensor;
  if (tensor->dtype() == DatumType::string || type == DatumType::string) return std::nullopt;
  return cast(*tensor, type);
}

std::optional<std::int64_t> as_integer(const Item& item) {
  const auto dim = item.as_dim();
  return dim ? dim->constant() : std::nullopt;
}

}  // namespace

Invocation::Invocation(GraphReader& reader, std::string fragment, std::string target,
                       Arguments arguments, Position position)
    : reader_(reader),
      fragment_(std::move(fragment)),
      target_(std::move(target)),
      arguments_(std::move(arguments)),
      position_(position) {}

void Invocation::bind(const ReadRow& row) {
  const std::size_t given = arguments_.positional.size();
  if (given > row.parameters.size())
    fail(cat(fragment_, " takes ", row.parameters.size(), " arguments, ", given, " given"));
  const std::vector<std::string> names(row.parameters.begin(), row.parameters.end());
  for (const auto& [name, item] : arguments_.named) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      const std::string near = nearest_name(name, names);
      fail_at(item.position, cat(fragment_, " has no parameter ", in_quotes(name),
                                 near.empty() ? "" : cat(", nearest is ", in_quotes(near))));
    }
    if (static_cast<std::size_t>(at - names.begin()) < given)
      fail_at(item.position, cat("parameter ", in_quotes(name), " is given twice"));
  }
  for (std::size_t i = 0; i < given; ++i)
    arguments_.named.emplace_back(names[i], arguments_.positional[i]);
}

const Item* Invocation::find(std::string_view parameter) const {
  for (const auto& [name, item] : arguments_.named)
    if (name == parameter) return item.is_none() ? nullptr : &item;
  return nullptr;
}

bool Invocation::given(std::string_view parameter) const { return find(parameter) != nullptr; }

bool Invocation::has_tensor(std::string_view parameter) const {
  const Item* found = find(parameter);
  return found != nullptr && found->get_if<bool>() == nullptr;
}

const Item& Invocation::item(std::string_view parameter) const {
  const Item* found = find(parameter);
  if (found == nullptr) fail(cat(fragment_, " lacks its argument ", in_quotes(parameter)));
  return *found;
}

OutletId Invocation::operand(const Item& item) {
  if (const auto* wire = item.get_if<OutletId>()) return *wire;
  auto tensor = literal_tensor(item);
  if (!tensor) fail_at(item.position, cat("a tensor is wanted, not ", describe(item)));
  return literal("literal", *std::move(tensor), DatumType::i64);
}

OutletId Invocation::operand(const Item& item, DatumType type) {
  if (const auto* wire = item.get_if<OutletId>()) return *wire;
  auto tensor = literal_of_type(item, type);
  if (!tensor)
    fail_at(item.position, cat("a tensor of type ", type, " is wanted, not ", describe(item)));
  return literal("literal", *std::move(tensor), type);
}

/// The tensor as a constant; sizes that only a run tells, as they are read from the shapes of inputs.
OutletId Invocation::literal(std::string_view hint, Tensor tensor, DatumType type) {
  if (tensor.dtype() != DatumType::dim) return constant(hint, std::move(tensor));
  OutletIds parts;
  for (const Dim& dim : tensor.as<Dim>()) parts.push_back(size(dim));
  const OutletId sizes = step("sizes", Concat{0}, parts);
  const OutletId shaped =
      step("shaped", Reshape{}, {sizes, integers_constant("shape", tensor.shape())});
  return step("number", Cast{type}, {shaped});
}

/// A vector of one size: a number, a symbol and a number more, or what sizes like these make.
OutletId Invocation::size(const Dim& dim) {
  if (const auto known = dim.constant()) return integers_constant("size", Shape{*known});
  const auto told = axis_that_tells(reader_.model(), dim);
  if (!told && dim.as_symbol()) unsupported(cat("a number that no input tells, ", dim));
  if (!told) return computed_size(dim);
  const OutletId axis = step("axis", ShapeOf{told->axis, told->axis + 1}, {told->input});
  return step("size", strata::Binary{BinaryOp::add},
              {axis, integers_constant("more", Shape{told->more})});
}

/// An expression of several symbols, each of which an input tells.
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

std::int64_t Invocation::integer(std::string_view parameter) const {
  const Item& argument = item(parameter);
  const auto value = known_integer(argument);
  if (!value) refuse(parameter, "an integer", argument);
  return *value;
}

std::int64_t Invocation::integer(std::string_view parameter, std::int64_t otherwise) const {
  return given(parameter) ? integer(parameter) : otherwise;
}

double Invocation::number(std::string_view parameter, double otherwise) const {
  if (!given(parameter)) return otherwise;
  const Item& argument = item(parameter);
  if (const auto* number = argument.get_if<Number>()) return number->as_double();
  if (const auto* wire = argument.get_if<OutletId>())
    if (const Tensor* tensor = fact(*wire).constant(); tensor && tensor->size() == 1)
      return number_at(*tensor, 0);
  refuse(parameter, "a number", argument);
}

bool Invocation::logical(std::string_view parameter, bool otherwise) const {
  if (!given(parameter)) return otherwise;
  const Item& argument = item(parameter);
  if (const auto* value = argument.get_if<bool>()) return *value;
  if (const auto value = as_integer(argument)) return *value != 0;
  refuse(parameter, "true or false", argument);
}

std::string Invocation::string(std::string_view parameter) const {
  const Item& argument = item(parameter);
  if (const auto* value = argument.get_if<std::string>()) return *value;
  refuse(parameter, "a string", argument);
}

std::string Invocation::string(std::string_view parameter, std::string_view otherwise) const {
  return given(parameter) ? string(parameter) : std::string(otherwise);
}

DatumType Invocation::datum_type(std::string_view parameter) const {
  const std::string name = lower_case(string(parameter));
  if (name == "tdim") return DatumType::i64;
  const auto type = parse_datum_type(name);
  if (!type) fail_at(item(parameter).position, cat(in_quotes(name), " is no element type"));
  return *type;
}

Shape Invocation::integers(std::string_view parameter) const {
  Shape out;
  if (!given(parameter)) return out;
  const Item& argument = item(parameter);
  if (const auto* wire = argument.get_if<OutletId>())
    if (const auto values = fact(*wire).integers()) return *values;
  if (const auto single = as_integer(argument)) return Shape{*single};
  const auto* list = argument.get_if<Item::List>();
  constexpr std::string_view kWanted = "a list of integers";
  if (list == nullptr) refuse(parameter, kWanted, argument);
  for (const Item& each : *list) {
    const auto value = known_integer(each);
    if (!value) refuse(parameter, kWanted, each);
    out.push_back(*value);
  }
  return out;
}

std::vector<Dim> Invocation::dims(std::string_view parameter) const {
  const Item& argument = item(parameter);
  if (const auto* wire = argument.get_if<OutletId>())
    if (const auto values = fact(*wire).dims()) return *values;
  const auto* list = argument.get_if<Item::List>();
  if (list == nullptr) refuse(parameter, "a list of sizes", argument);
  std::vector<Dim> out;
  for (const Item& each : *list) {
    const auto value = known_size(each);
    if (!value) fail_at(each.position, cat("a size is wanted, not ", describe(each)));
    out.push_back(*value);
  }
  return out;
}

std::optional<Dim> Invocation::known_size(const Item& item) const {
  const auto* wire = item.get_if<OutletId>();
  if (!wire) return item.as_dim();
  const auto values = fact(*wire).integers();
  return values && values->size() == 1 ? std::optional(Dim(values->front())) : std::nullopt;
}

std::optional<std::int64_t> Invocation::known_integer(const Item& item) const {
  const auto size = known_size(item);
  return size ? size->constant() : std::nullopt;
}

std::vector<Item> Invocation::size_items(std::string_view parameter) const {
  const Item& argument = item(parameter);
  if (const auto* list = argument.get_if<Item::List>()) return *list;
  std::vector<Item> out;
  for (const Dim& dim : dims(parameter)) out.push_back({dim, argument.position});
  return out;
}

std::vector<std::pair<std::int64_t, std::int64_t>> Invocation::pairs(
    std::string_view parameter) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  if (!given(parameter)) return out;
  const Item& argument = item(parameter);
  const auto* list = argument.get_if<Item::List>();
  if (list == nullptr) refuse(parameter, "a list of pairs", argument);
  for (const Item& each : *list) {
    const auto* two = each.get_if<Item::List>();
    const auto first = two && two->size() == 2 ? as_integer((*two)[0]) : std::nullopt;
    const auto second = first ? as_integer((*two)[1]) : std::nullopt;
    if (!second) fail_at(each.position, "a pair of integers is wanted");
    out.emplace_back(*first, *second);
  }
  return out;
}

void Invocation::count_assignments(std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) reader_.document().count_assignment();
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

std::span<const OpEntry> Invocation::own_ops() const { return reader_.document().own_ops(); }

bool Invocation::is_of_tract() const { return reader_.document().is_of_tract(); }

OutletId Invocation::sizes(std::string_view hint, const std::vector<Dim>& dims) {
  return literal(hint, dims_tensor(dims), DatumType::i64);
}

OutletId Invocation::sizes(std::string_view hint, const std::vector<Item>& items) {
  std::vector<Dim> known;
  for (const Item& item : items)
    if (const auto size = known_size(item)) known.push_back(*size);
  if (known.size() == items.size()) return sizes(hint, known);
  OutletIds parts;
  for (const Item& item : items) {
    const auto size = known_size(item);
    if (!size && !item.is_wire())
      fail_at(item.position, cat("a size is wanted, not ", describe(item)));
    parts.push_back(size ? this->size(*size) : size_vector(operand(item)));
  }
  return step(hint, Concat{0}, parts);
}

OutletId Invocation::sizes(std::string_view parameter) {
  const Item& argument = item(parameter);
  return argument.is_wire() ? size_vector(operand(argument))
                            : sizes(parameter, size_items(parameter));
}

/// Integers that a wire holds, as sizes are: a vector of i64.
OutletId Invocation::size_vector(OutletId wire) {
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

Body Invocation::body(std::string_view name, Position position) {
  return reader_.document().body(name, position);
}

const Fragment& Invocation::fragment_named(std::string_view parameter) const {
  const std::string name = string(parameter);
  const Fragment* found = reader_.document().fragment(name);
  if (found == nullptr)
    fail_at(item(parameter).position, cat("no fragment is named ", in_quotes(name)));
  return *found;
}

TypedModel Invocation::body_of(const Fragment& fragment, const std::vector<Fact>& parameters) {
  return reader_.document().body_of(fragment, parameters);
}

Body Invocation::shared_body(std::string recipe, TypedModel made) {
  return reader_.document().shared_body(std::move(recipe), std::move(made));
}

const std::shared_ptr<SymbolScope>& Invocation::symbols() const {
  return reader_.document().symbols();
}

Tensor Invocation::variable(const std::string& label) {
  return reader_.document().variable(label, position_);
}

std::optional<Blocks> Invocation::blocks(const std::string& label) {
  return read_blocks(reader_.document().file(label, position_).bytes, label);
}

void Invocation::refuse(std::string_view parameter, std::string_view wanted,
                        const Item& given) const {
  fail_at(given.position,
          cat(in_quotes(parameter), " must be ", wanted, ", not ", describe(given)));
}

void Invocation::fail(std::string_view message) const { fail_at(position_, message); }

void Invocation::fail_at(Position position, std::string_view message) const {
  reader_.document().fail(position.line == 0 ? position_ : position, message);
}

void Invocation::unsupported(std::string_view what) const {
  reader_.document().unsupported(position_, cat("not supported: ", what));
}

}  // namespace strata::opl
