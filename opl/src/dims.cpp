#include "dims.h"

#include <algorithm>
#include <map>

#include "lexer.h"
#include "strata/opl/parser.h"

namespace strata::opl {
namespace {

/// Placeholders for symbols whose names are not plain identifiers, with these names.
using Placeholders = std::map<std::string, std::string, std::less<>>;

/// A dim's text as OPL has it: symbols by their names, and `a / b` for `floor_div(a, b)`, which is
/// what tract understands; sizes are never negative.
Expression in_opl(Expression expression, const Placeholders& placeholders) {
  const auto convert = [&](Expression& part) { part = in_opl(std::move(part), placeholders); };
  if (auto* symbol = std::get_if<Identifier>(&expression.node)) {
    const auto found = placeholders.find(symbol->name);
    if (found != placeholders.end()) symbol->name = found->second;
  }
  if (auto* infix = std::get_if<Binary>(&expression.node))
    for (Expression& operand : infix->operands) convert(operand);
  if (auto* unary = std::get_if<Unary>(&expression.node)) convert(unary->operand.front());
  if (auto* function = std::get_if<Call>(&expression.node)) {
    for (Argument& argument : function->arguments) convert(argument.value);
    if (function->name == "floor_div" && function->arguments.size() == 2)
      return binary(std::move(function->arguments[0].value), "/",
                    std::move(function->arguments[1].value));
  }
  return expression;
}

/// Reads `text` from the front.
class FactParser {
 public:
  explicit FactParser(std::string_view text) : rest_(text) {}

  Fact fact(int depth = 0) {
    constexpr int kMostDepth = 16;
    require(depth < kMostDepth, ErrorKind::invalid_argument, "a type nests deeper than ",
            kMostDepth);
    if (take("sequence(")) {
      Fact element = fact(depth + 1);
      std::optional<Dim> length;
      if (take(",")) length = Dim::parse(until(")"));
      expect(")");
      return Fact::sequence(std::move(element), std::move(length));
    }
    if (take("optional(")) {
      Fact element = fact(depth + 1);
      expect(")");
      return Fact::optional(std::move(element));
    }
    const std::string_view name = until("[");
    const auto type = parse_datum_type(name);
    require(type.has_value(), ErrorKind::invalid_argument, in_quotes(name), " is no element type");
    expect("[");
    if (take("..]")) return Fact::tensor(*type, ShapeFact::open());
    std::vector<Dim> dims;
    if (take("]")) return Fact::tensor(*type, dims);
    do dims.push_back(Dim::parse(until(",]")));
    while (take(","));
    expect("]");
    return Fact::tensor(*type, std::move(dims));
  }
  void expect_end() const {
    require(rest_.empty(), ErrorKind::invalid_argument, in_quotes(rest_), " follows a type");
  }

 private:
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  void expect(std::string_view text) {
    require(take(text), ErrorKind::invalid_argument, "expected ", in_quotes(text), " before ",
            in_quotes(rest_));
  }
  /// What stands before the first of `ends` that is in no parentheses and no quotes.
  std::string_view until(std::string_view ends) {
    int depth = 0;
    bool is_quoted = false;
    std::size_t at = 0;
    for (; at < rest_.size(); ++at) {
      const char c = rest_[at];
      if (c == '"') is_quoted = !is_quoted;
      if (is_quoted) {
        at += c == '\\';
        continue;
      }
      if (depth == 0 && ends.find(c) != ends.npos) break;
      depth += c == '(';
      depth -= c == ')';
    }
    at = std::min(at, rest_.size());
    const std::string_view text = rest_.substr(0, at);
    rest_.remove_prefix(at);
    return text;
  }

  std::string_view rest_;
};

}  // namespace

Expression dim_expression(const Dim& dim) {
  if (const auto value = dim.constant()) return number(*value);
  const std::vector<std::string> symbols = dim.symbols();
  if (std::all_of(symbols.begin(), symbols.end(), is_plain_identifier))
    return in_opl(parse_expression(dim.to_string(), "a dim"), {});
  Dim::Bindings bindings;
  Placeholders placeholders;
  for (const std::string& symbol : symbols) {
    const std::string placeholder = cat('_', placeholders.size());
    bindings.emplace(symbol, Dim::symbol(placeholder));
    placeholders.emplace(placeholder, symbol);
  }
  return in_opl(parse_expression(dim.substitute(bindings).to_string(), "a dim"), placeholders);
}

std::string fact_text(const Fact& fact) {
  switch (fact.kind) {
    case ValueType::Kind::tensor: {
      if (fact.shape.is_open()) return cat(fact.dtype, "[..]");
      return cat(fact.dtype, fact.shape.dims());
    }
    case ValueType::Kind::sequence:
      if (fact.length) return cat("sequence(", fact_text(*fact.element), ',', *fact.length, ')');
      return cat("sequence(", fact_text(*fact.element), ')');
    case ValueType::Kind::optional:
      return cat("optional(", fact_text(*fact.element), ')');
  }
  fail(ErrorKind::internal, "an unknown kind of value");
}

Fact parse_fact(std::string_view text) {
  FactParser parser(text);
  Fact fact = parser.fact();
  parser.expect_end();
  return fact;
}

std::optional<InputAxis> axis_that_tells(const TypedModel& model, const Dim& size) {
  for (const OutletId input : model.inputs()) {
    const Fact& fact = model.fact(input);
    if (!fact.is_tensor() || fact.shape.is_open()) continue;
    for (std::size_t axis = 0; axis < fact.shape.rank(); ++axis)
      if (const auto more = (size - fact.shape[axis]).constant())
        return InputAxis{input, static_cast<std::int64_t>(axis), *more};
  }
  return std::nullopt;
}

}  // namespace strata::opl
