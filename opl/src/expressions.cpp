#include <algorithm>
#include <array>
#include <span>

#include "parser.h"

namespace strata::opl {
namespace {

/// Infix operators, loosest binding first; all lean to the left, also ^, as in tract.
constexpr std::array<std::string_view, 1> kMembership = {"in"};
constexpr std::array<std::string_view, 2> kBoolean = {"&&", "||"};
constexpr std::array<std::string_view, 6> kComparison = {"<", "<=", ">", ">=", "==", "!="};
constexpr std::array<std::string_view, 2> kSum = {"+", "-"};
constexpr std::array<std::string_view, 2> kProduct = {"*", "/"};
constexpr std::array<std::string_view, 1> kPower = {"^"};
constexpr std::array<std::span<const std::string_view>, 6> kLevels = {
    kMembership, kBoolean, kComparison, kSum, kProduct, kPower};

bool is_operator(const Token& token, std::span<const std::string_view> operators) {
  // A shortcut for what ends most expressions, since every level of precedence asks.
  constexpr std::string_view kEnds = "()[]{},;:";
  if (token.text.size() == 1 && kEnds.find(token.text.front()) != std::string_view::npos)
    return false;
  if (token.kind != Token::Kind::symbol && !token.is_word("in")) return false;
  return std::find(operators.begin(), operators.end(), token.text) != operators.end();
}

std::vector<Expression> one(Expression expression) {
  std::vector<Expression> items;
  items.push_back(std::move(expression));
  return items;
}

}  // namespace

Expression Parser::expression() {
  const Nesting nesting(*this);
  return conditional();
}

Expression Parser::conditional() {
  Expression value = infix(0);
  if (!token_.is_word("if")) return value;
  const Position position = value.position;
  int height = height_;
  take();
  std::vector<Expression> parts = one(std::move(value));
  parts.push_back(infix(0));
  height = std::max(height, height_);
  expect_word("else");
  parts.push_back(expression());
  return wrap(Conditional{std::move(parts)}, position, std::max(height, height_));
}

Expression Parser::infix(std::size_t level) {
  if (level == kLevels.size()) return unary();
  Expression left = infix(level + 1);
  while (is_operator(token_, kLevels[level])) {
    const int height = height_;
    const Position position = left.position;
    const std::string op(take().text);
    std::vector<Expression> operands = one(std::move(left));
    operands.push_back(infix(level + 1));
    left = wrap(Binary{op, std::move(operands)}, position, std::max(height, height_));
  }
  return left;
}

Expression Parser::unary() {
  constexpr std::array<std::string_view, 3> kUnary = {"+", "-", "!"};
  if (!is_operator(token_, kUnary) || starts_number()) return postfix();
  const Nesting nesting(*this);
  const Token op = take();
  Expression operand = unary();
  return wrap(Unary{std::string(op.text), one(std::move(operand))}, op.position, height_);
}

Expression Parser::postfix() {
  Expression base = primary();
  while (token_.is_symbol("[")) base = subscript(std::move(base));
  return base;
}

Expression Parser::subscript(Expression base) {
  const Position position = base.position;
  int height = height_;
  const auto bound = [&] {
    Expression at = expression();
    height = std::max(height, height_);
    return one(std::move(at));
  };
  take();
  std::vector<Expression> begin;
  if (!token_.is_symbol(":")) begin = bound();
  if (accept("]")) {
    std::vector<Expression> parts = one(std::move(base));
    parts.push_back(std::move(begin.front()));
    return wrap(Subscript{std::move(parts)}, position, height);
  }
  if (!accept(":")) fail_expected("':' or ']'");
  std::vector<Expression> end;
  if (!token_.is_symbol("]")) end = bound();
  expect("]");
  return wrap(Range{one(std::move(base)), std::move(begin), std::move(end)}, position, height);
}

Expression Parser::primary() {
  const Position position = token_.position;
  if (starts_number()) return number();
  if (token_.kind == Token::Kind::string) return wrap(String{take().value()}, position, 0);
  if (token_.is_name()) return word();
  if (token_.is_symbol("(")) return parenthesised();
  if (token_.is_symbol("[")) return bracketed();
  fail_expected("an expression");
}

/// A sign belongs to the number it touches, so that `-1` is a literal and `- 1` is not.
bool Parser::starts_number() const {
  const auto is_numeric = [](const Token& token) {
    return token.kind == Token::Kind::number || token.is_word("inf") || token.is_word("NaN") ||
           token.is_word("nan");
  };
  if (!token_.is_symbol("-")) return is_numeric(token_) && !starts_call();
  const Token after = peek();
  return after.offset == token_.offset + 1 && is_numeric(after);
}

Expression Parser::number() {
  const Position position = token_.position;
  std::string text;
  if (token_.is_symbol("-")) text = take().text;
  text += take().text;
  std::erase(text, '+');
  return wrap(Number{std::move(text)}, position, 0);
}

Expression Parser::word() {
  const Token name = token_;
  const bool calls = starts_call();
  take();
  if (calls) return call(name.value(), name.position);
  if (name.is_word("true")) return wrap(Logical{true}, name.position, 0);
  if (name.is_word("false")) return wrap(Logical{false}, name.position, 0);
  if (name.is_word("None")) return wrap(None{}, name.position, 0);
  return wrap(Identifier{name.value()}, name.position, 0);
}

/// After a name, `(` or `<type>(`; in any other place `<` compares.
bool Parser::starts_call() const {
  Lexer ahead = lexer_;
  const Token after = ahead.next();
  if (after.is_symbol("(")) return true;
  if (!after.is_symbol("<")) return false;
  const Token type = ahead.next();
  if (type.kind != Token::Kind::word && !type.is_symbol("?")) return false;
  return ahead.next().is_symbol(">") && ahead.next().is_symbol("(");
}

Expression Parser::call(std::string name, Position position) {
  std::string type;
  if (accept("<")) {
    type = type_name();
    expect(">");
  }
  int height = 0;
  std::vector<Argument> arguments = list("(", ")", [&] {
    Argument read = argument();
    height = std::max(height, height_);
    return read;
  });
  return wrap(Call{std::move(name), std::move(type), std::move(arguments)}, position, height);
}

Argument Parser::argument() {
  const Position position = token_.position;
  std::string name;
  if (token_.is_name() && peek().is_symbol("=")) {
    name = take().value();
    take();
  }
  return {std::move(name), expression(), position};
}

Expression Parser::parenthesised() {
  const Position position = token_.position;
  int height = 0;
  std::vector<Expression> items = list("(", ")", [&] {
    Expression item = expression();
    height = std::max(height, height_);
    return item;
  });
  height_ = height;
  if (items.size() == 1) return std::move(items.front());
  return wrap(Tuple{std::move(items)}, position, height);
}

Expression Parser::bracketed() {
  const Position position = token_.position;
  if (starts_comprehension()) return comprehension(position);
  int height = 0;
  std::vector<Expression> items = list("[", "]", [&] {
    Expression item = expression();
    height = std::max(height, height_);
    return item;
  });
  return wrap(Array{std::move(items)}, position, height);
}

bool Parser::starts_comprehension() const {
  Lexer ahead = lexer_;
  return ahead.next().is_word("for") && ahead.next().is_name() && ahead.next().is_word("in");
}

Expression Parser::comprehension(Position position) {
  Comprehension all;
  int height = 0;
  const auto part = [&](Expression read) {
    height = std::max(height, height_);
    return read;
  };
  take();
  expect_word("for");
  do {
    std::string name = expect_name("the name of a loop variable");
    expect_word("in");
    all.iterations.push_back({std::move(name), part(infix(0))});
  } while (accept(","));
  if (token_.is_word("if")) {
    take();
    all.condition = one(part(expression()));
  }
  expect_word("yield");
  all.value = one(part(expression()));
  expect("]");
  return wrap(std::move(all), position, height);
}

}  // namespace strata::opl
