#include <algorithm>
#include <cmath>

#include "reader.h"

namespace strata::opl {
namespace {

/// The fragments that infix and prefix operators on wires stand for.
std::string_view fragment_of(std::string_view op) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"+", "add"}, {"-", "sub"},  {"*", "mul"}, {"/", "div"}, {"^", "pow"},
      {"<", "lt"},  {"<=", "le"},  {">", "gt"},  {">=", "ge"}, {"==", "eq"},
      {"!=", "ne"}, {"&&", "and"}, {"||", "or"}};
  for (const auto& [name, fragment] : kNames)
    if (name == op) return fragment;
  return {};
}

using DimFunction = Dim (*)(const Dim&, const Dim&);

/// The operators on sizes, and the functions that NNEF lacks; null for any other name.
DimFunction dim_function(std::string_view name) {
  using Operands = const Dim&;
  constexpr DimFunction kDivided = [](Operands a, Operands b) { return floor_div(a, b); };
  static constexpr std::pair<std::string_view, DimFunction> kFunctions[] = {
      {"+", [](Operands a, Operands b) { return a + b; }},
      {"-", [](Operands a, Operands b) { return a - b; }},
      {"*", [](Operands a, Operands b) { return a * b; }},
      {"/", kDivided},
      {"floor_div", kDivided},
      {"ceil_div", [](Operands a, Operands b) { return ceil_div(a, b); }},
      {"mod", [](Operands a, Operands b) { return mod(a, b); }},
      {"min", [](Operands a, Operands b) { return min(a, b); }},
      {"max", [](Operands a, Operands b) { return max(a, b); }}};
  for (const auto& [known, function] : kFunctions)
    if (known == name) return function;
  return nullptr;
}

Item item_of(const Dim& dim, Position position) {
  if (const auto value = dim.constant())
    return {Number{detail::integer_text(static_cast<long long>(*value))}, position};
  return {dim, position};
}

std::optional<double> real_operation(std::string_view op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return a / b;
  if (op == "^") return std::pow(a, b);
  return std::nullopt;
}

/// The result of == or != for two values that are equal or not; nothing for other operators.
std::optional<bool> comparison(std::string_view op, bool are_equal) {
  if (op == "==") return are_equal;
  if (op == "!=") return !are_equal;
  return std::nullopt;
}

/// The result of a comparison of two numbers; NaN only differs.
std::optional<bool> comparison(std::string_view op, double a, double b) {
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  return comparison(op, a == b);
}

/// Sizes that cannot be computed are an error at this position.
Item fold_dims(const DocumentReader& document, DimFunction function, const Dim& x, const Dim& y,
               Position position) {
  try {
    return item_of(function(x, y), position);
  } catch (const Error& error) {
    document.fail(position, error.message());
  }
}

/// The result of an operator for two literals or sizes; nothing where it is not known.
std::optional<Item> fold(const DocumentReader& document, std::string_view op, const Item& a,
                         const Item& b, Position position) {
  const auto x = a.as_dim(), y = b.as_dim();
  if (const DimFunction function = dim_function(op); function && x && y)
    return fold_dims(document, function, *x, *y, position);
  const auto *p = a.get_if<Number>(), *q = b.get_if<Number>();
  if (p && q) {
    if (const auto value = real_operation(op, p->as_double(), q->as_double()))
      return Item{Number{detail::float_text(*value)}, position};
    if (const auto holds = comparison(op, p->as_double(), q->as_double()))
      return Item{*holds, position};
  }
  // Different expressions may turn out to be equal sizes, unless both are numbers.
  if (x && y && (*x == *y || (x->constant() && y->constant())))
    if (const auto holds = comparison(op, *x == *y)) return Item{*holds, position};
  if (const auto* s = a.get_if<std::string>(), *t = b.get_if<std::string>(); s && t)
    if (const auto holds = comparison(op, *s == *t)) return Item{*holds, position};
  if (const auto* s = a.get_if<bool>(), *t = b.get_if<bool>(); s && t) {
    if (op == "&&") return Item{*s && *t, position};
    if (op == "||") return Item{*s || *t, position};
    if (const auto holds = comparison(op, *s == *t)) return Item{*holds, position};
  }
  return std::nullopt;
}

/// The result of a function of sizes for literals and sizes: two, or more for max and min.
std::optional<Item> fold_call(const DocumentReader& document, std::string_view name,
                              const std::vector<Item>& items, Position position) {
  const bool takes_more = name == "max" || name == "min";
  if (!dim_function(name) || items.size() < 2 || (items.size() > 2 && !takes_more))
    return std::nullopt;
  std::optional<Item> out = items[0];
  for (std::size_t i = 1; out && i < items.size(); ++i)
    out = fold(document, name, *out, items[i], position);
  return out;
}

}  // namespace

Item ExpressionReader::read(const Expression& expression, const std::string& target) {
  return std::visit([&](const auto& held) { return node(held, expression, target); },
                    expression.node);
}

Item ExpressionReader::node(const None&, const Expression& at, const std::string&) {
  return {{}, at.position};
}
Item ExpressionReader::node(const Number& number, const Expression& at, const std::string&) {
  return {number, at.position};
}
Item ExpressionReader::node(const String& string, const Expression& at, const std::string&) {
  return {string.value, at.position};
}
Item ExpressionReader::node(const Logical& logical, const Expression& at, const std::string&) {
  return {logical.value, at.position};
}

Item ExpressionReader::node(const Identifier& identifier, const Expression& at,
                            const std::string&) {
  const auto found = scope_.items.find(identifier.name);
  if (found != scope_.items.end()) {
    reader_.document().count_items(found->second);
    Item item = found->second;
    item.position = at.position;
    return item;
  }
  if (reader_.document().is_symbol(identifier.name))
    return {Dim::symbol(identifier.name), at.position};
  std::vector<std::string> names;
  for (const auto& [name, item] : scope_.items) names.push_back(name);
  std::sort(names.begin(), names.end());
  const std::string near = nearest_name(identifier.name, names);
  reader_.document().fail(at.position,
                          cat("nothing is named ", in_quotes(identifier.name),
                              near.empty() ? "" : cat(", nearest is ", in_quotes(near))));
}

Item ExpressionReader::list(const std::vector<Expression>& items, const std::string& target) {
  Item::List out;
  for (const Expression& item : items)
    out.push_back(read(item, reader_.helper_name(cat(target, '_', out.size()))));
  return {std::move(out), {}};
}

Item ExpressionReader::node(const Array& array, const Expression& at, const std::string& target) {
  Item out = list(array.items, target);
  out.position = at.position;
  return out;
}

Item ExpressionReader::node(const Tuple& tuple, const Expression& at, const std::string& target) {
  Item out = list(tuple.items, target);
  out.position = at.position;
  return out;
}

Item ExpressionReader::node(const opl::Binary& binary, const Expression& at,
                            const std::string& target) {
  Item left = read(binary.operands[0], reader_.helper_name(cat(target, "_left")));
  Item right = read(binary.operands[1], reader_.helper_name(cat(target, "_right")));
  if (auto folded = fold(reader_.document(), binary.op, left, right, at.position))
    return *std::move(folded);
  const std::string_view fragment = fragment_of(binary.op);
  if (fragment.empty() || (!left.is_wire() && !right.is_wire()))
    reader_.document().fail(
        at.position, cat(describe(left), ' ', binary.op, ' ', describe(right), " has no meaning"));
  return reader_.invoke(std::string(fragment), target,
                        {{std::move(left), std::move(right)}, {}, {}}, at.position);
}

Item ExpressionReader::node(const opl::Unary& unary, const Expression& at,
                            const std::string& target) {
  Item operand = read(unary.operand.front(), reader_.helper_name(cat(target, "_operand")));
  if (unary.op == "+") return operand;
  if (const auto* value = operand.get_if<bool>(); value && unary.op == "!")
    return {!*value, at.position};
  if (unary.op == "-") {
    if (const auto dim = operand.as_dim()) return item_of(-*dim, at.position);
    if (const auto* number = operand.get_if<Number>())
      return {Number{detail::float_text(-number->as_double())}, at.position};
  }
  return reader_.invoke(unary.op == "-" ? "neg" : "not", target, {{std::move(operand)}, {}, {}},
                        at.position);
}

Item ExpressionReader::node(const Conditional& conditional, const Expression& at,
                            const std::string& target) {
  const Item condition = read(conditional.parts[1], target);
  const auto* holds = condition.get_if<bool>();
  if (holds == nullptr)
    reader_.document().fail(at.position, "the condition must be known when the model is read");
  return read(conditional.parts[*holds ? 0 : 2], target);
}

std::int64_t ExpressionReader::index(const Expression& expression, const std::string& target) {
  const Item item = read(expression, target);
  const auto dim = item.as_dim();
  const auto value = dim ? dim->constant() : std::nullopt;
  if (!value) reader_.document().fail(expression.position, "an index must be an integer");
  return *value;
}

Item ExpressionReader::node(const Subscript& subscript, const Expression& at,
                            const std::string& target) {
  const Item base = read(subscript.parts[0], target);
  const std::int64_t place = index(subscript.parts[1], target);
  const auto* items = base.get_if<Item::List>();
  if (items == nullptr && base.is_wire()) {
    const auto sizes = reader_.model().fact(*base.get_if<OutletId>()).dims();
    if (sizes && place >= 0 && place < static_cast<std::int64_t>(sizes->size()))
      return item_of((*sizes)[static_cast<std::size_t>(place)], at.position);
  }
  if (items == nullptr)
    reader_.document().fail(at.position, cat(describe(base), " has no elements"));
  if (place < 0 || place >= static_cast<std::int64_t>(items->size()))
    reader_.document().fail(at.position, cat("element ", place, " of a list of ", items->size()));
  return (*items)[static_cast<std::size_t>(place)];
}

Item ExpressionReader::node(const Range& range, const Expression& at, const std::string& target) {
  const Item base = read(range.base.front(), target);
  const auto* items = base.get_if<Item::List>();
  if (items == nullptr)
    reader_.document().fail(at.position, cat(describe(base), " has no elements"));
  const auto size = static_cast<std::int64_t>(items->size());
  const std::int64_t begin = range.begin.empty() ? 0 : index(range.begin.front(), target);
  const std::int64_t end = range.end.empty() ? size : index(range.end.front(), target);
  if (begin < 0 || begin > end || end > size)
    reader_.document().fail(at.position,
                            cat("elements ", begin, " to ", end, " of a list of ", size));
  return {Item::List(items->begin() + begin, items->begin() + end), at.position};
}

Item ExpressionReader::node(const Comprehension&, const Expression& at, const std::string&) {
  reader_.document().unsupported(at.position, "a comprehension");
}

Item ExpressionReader::node(const Call& call, const Expression& at, const std::string& target) {
  Arguments arguments;
  arguments.type = call.type;
  const bool defines_symbols = call.name == "tract_core_external" || call.name == "external";
  for (const Argument& argument : call.arguments) {
    if (defines_symbols && argument.name == "shape") note_symbols(argument.value);
    const std::string hint =
        argument.name.empty() ? cat(arguments.positional.size()) : argument.name;
    Item item = read(argument.value, reader_.helper_name(cat(target, '_', hint)));
    if (argument.name.empty())
      arguments.positional.push_back(std::move(item));
    else
      arguments.named.emplace_back(argument.name, std::move(item));
  }
  if (auto folded = fold_call(reader_.document(), call.name, arguments.positional, at.position))
    return *std::move(folded);
  if (call.name == "length_of" && arguments.positional.size() == 1)
    if (const auto* items = arguments.positional[0].get_if<Item::List>())
      return item_of(Dim(static_cast<std::int64_t>(items->size())), at.position);
  return reader_.invoke(call.name, target, std::move(arguments), at.position);
}

/// The shape of an input may bring in symbols that no extension line declares.
void ExpressionReader::note_symbols(const Expression& expression) {
  if (const auto* name = expression.get_if<Identifier>();
      name && !scope_.items.contains(name->name))
    reader_.document().add_symbol(name->name);
  if (const auto* items = expression.get_if<Array>())
    for (const Expression& item : items->items) note_symbols(item);
  if (const auto* infix = expression.get_if<opl::Binary>())
    for (const Expression& operand : infix->operands) note_symbols(operand);
}

}  // namespace strata::opl
