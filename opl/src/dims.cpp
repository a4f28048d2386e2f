#include "dims.h"

#include "strata/opl/parser.h"

namespace strata::opl {
namespace {

/// `floor_div(a, b)` becomes `a / b`, which is what tract understands; sizes are never negative.
Expression with_slashes(Expression expression) {
  if (auto* binary_node = std::get_if<Binary>(&expression.node))
    for (Expression& operand : binary_node->operands) operand = with_slashes(std::move(operand));
  if (auto* unary = std::get_if<Unary>(&expression.node))
    unary->operand.front() = with_slashes(std::move(unary->operand.front()));
  if (auto* function = std::get_if<Call>(&expression.node)) {
    for (Argument& argument : function->arguments)
      argument.value = with_slashes(std::move(argument.value));
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

  Fact fact() {
    if (take("sequence(")) {
      Fact element = fact();
      std::optional<Dim> length;
      if (take(",")) length = Dim::parse(until(")"));
      expect(")");
      return Fact::sequence(std::move(element), std::move(length));
    }
    if (take("optional(")) {
      Fact element = fact();
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
  /// What stands before the first of `ends` that is in no parentheses.
  std::string_view until(std::string_view ends) {
    int depth = 0;
    std::size_t at = 0;
    for (; at < rest_.size(); ++at) {
      if (depth == 0 && ends.find(rest_[at]) != ends.npos) break;
      depth += rest_[at] == '(';
      depth -= rest_[at] == ')';
    }
    const std::string_view text = rest_.substr(0, at);
    rest_.remove_prefix(at);
    return text;
  }

  std::string_view rest_;
};

}  // namespace

Expression dim_expression(const Dim& dim) {
  if (const auto value = dim.constant()) return number(*value);
  return with_slashes(parse_expression(dim.to_string(), "a dim"));
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

void for_each_dim(const Fact& fact, const std::function<void(const Dim&)>& visit) {
  if (fact.element) for_each_dim(*fact.element, visit);
  if (fact.length) visit(*fact.length);
  if (fact.is_tensor() && fact.shape.is_known())
    for (const Dim& dim : fact.shape.dims()) visit(dim);
}

}  // namespace strata::opl
