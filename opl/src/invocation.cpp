#include "invocation.h"

#include <algorithm>

#include "reader.h"
#include "strata/core/only_number.h"

namespace strata::opl {
namespace {

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
  std::vector<std::uint8_t> is_given(names.size());
  std::fill_n(is_given.begin(), given, 1);
  for (const auto& [name, item] : arguments_.named) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      const std::string near = nearest_name(name, names);
      fail_at(item.position, cat(fragment_, " has no parameter ", in_quotes(name),
                                 near.empty() ? "" : cat(", nearest is ", in_quotes(near))));
    }
    const auto place = static_cast<std::size_t>(at - names.begin());
    if (is_given[place])
      fail_at(item.position, cat("parameter ", in_quotes(name), " is given twice"));
    is_given[place] = 1;
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
  const auto value = only_integer(fact(*wire));
  return value ? std::optional(Dim(*value)) : std::nullopt;
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

std::span<const OpEntry> Invocation::own_ops() const { return reader_.document().own_ops(); }

bool Invocation::is_of_tract() const { return reader_.document().is_of_tract(); }

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
