#include "parser.h"

#include <algorithm>
#include <array>

#include "strata/core/text.h"
#include "strata/opl/parser.h"

namespace strata::opl {

Document parse(std::string_view text, std::string_view file_name) {
  Document document = Parser(text, file_name).document();
  document.file_name = file_name;
  return document;
}

Expression parse_expression(std::string_view text, std::string_view file_name) {
  Parser parser(text, file_name);
  Expression expression = parser.expression();
  parser.expect_end();
  return expression;
}

void fail_at(const Document& document, Position position, std::string_view message) {
  Lexer({}, document.file_name).fail_at(position, message);
}

Token Parser::take() {
  const Token taken = token_;
  token_ = lexer_.next();
  return taken;
}

bool Parser::accept(std::string_view symbol) {
  if (!token_.is_symbol(symbol)) return false;
  take();
  return true;
}

void Parser::expect(std::string_view symbol) {
  if (!accept(symbol)) fail_expected(cat("'", symbol, "'"));
}

void Parser::expect_word(std::string_view word) {
  if (!token_.is_word(word)) fail_expected(cat("'", word, "'"));
  take();
}

std::string Parser::expect_name(std::string_view what) {
  if (!token_.is_name()) fail_expected(what);
  return take().value();
}

void Parser::fail_expected(std::string_view what) const {
  lexer_.fail_at(token_.position, cat("expected ", what, ", got ", describe(token_)));
}

std::string Parser::comma_or(std::string_view close) { return cat("',' or '", close, "'"); }

void Parser::check_depth(int depth, Position position) const {
  if (depth <= kMaxDepth) return;
  try {
    lexer_.fail_at(position, cat("nested deeper than ", kMaxDepth, " levels"));
  } catch (const Error& error) {
    fail(ErrorKind::limit, error.message());
  }
}

void Parser::expect_end() {
  if (token_.kind != Token::Kind::end) fail_expected("the end of the file");
}

Document Parser::document() {
  Document document;
  expect_word("version");
  if (token_.kind != Token::Kind::number) fail_expected("a version number");
  document.version = take().text;
  expect(";");
  while (token_.is_word("extension")) document.extensions.push_back(extension());
  document.fragments = fragments();
  if (!token_.is_word("graph")) fail_expected("'extension', 'fragment' or 'graph'");
  document.graph = graph();
  expect_end();
  return document;
}

Extension Parser::extension() {
  Extension extension;
  extension.position = take().position;
  if (!token_.is_name()) fail_expected("the name of an extension");
  extension.name = token_.value();
  const Token name = token_;
  const std::string raw = lexer_.raw_until_semicolon(name);
  const std::string_view text = std::string_view(raw).substr(name.text.size());
  extension.text = text.starts_with(' ') ? text.substr(1) : text;
  take();
  expect(";");
  return extension;
}

std::vector<Fragment> Parser::fragments() {
  std::vector<Fragment> fragments;
  while (token_.is_word("fragment")) fragments.push_back(fragment());
  return fragments;
}

Fragment Parser::fragment() {
  Fragment fragment;
  fragment.position = take().position;
  fragment.name = expect_name("the name of a fragment");
  if (accept("<")) {
    fragment.is_generic = true;
    expect("?");
    if (accept("=")) fragment.generic_default = type_name();
    expect(">");
  }
  fragment.parameters = list("(", ")", [this] { return parameter(); });
  expect("->");
  fragment.results = list("(", ")", [this] { return result(); });
  if (!accept(";")) fragment.body = body();
  return fragment;
}

Graph Parser::graph() {
  Graph graph;
  graph.position = take().position;
  graph.name = expect_name("the name of the graph");
  graph.inputs = list("(", ")", [this] { return port(); });
  expect("->");
  graph.outputs = list("(", ")", [this] { return port(); });
  graph.body = body();
  return graph;
}

Port Parser::port() {
  const Position position = token_.position;
  return {expect_name("a name"), position};
}

Parameter Parser::parameter() {
  Parameter parameter;
  parameter.position = token_.position;
  parameter.name = expect_name("the name of a parameter");
  if (accept(":")) parameter.type = type_spec();
  if (accept("=")) parameter.default_value = expression();
  return parameter;
}

Result Parser::result() {
  Result result;
  result.position = token_.position;
  result.name = expect_name("the name of a result");
  if (accept(":")) result.type = type_spec();
  return result;
}

TypeSpec Parser::type_spec() {
  const Nesting nesting(*this);
  TypeSpec spec;
  if (token_.is_symbol("(")) {
    spec.kind = TypeSpec::Kind::tuple;
    spec.items = list("(", ")", [this] { return type_spec(); });
  } else if (token_.is_word("tensor")) {
    take();
    expect("<");
    spec.kind = TypeSpec::Kind::tensor;
    if (!token_.is_symbol(">")) spec.name = type_name();
    expect(">");
  } else {
    spec.name = type_name();
  }
  for (int depth = 1; accept("["); ++depth) {
    check_depth(depth, token_.position);
    expect("]");
    TypeSpec outer;
    outer.kind = TypeSpec::Kind::array;
    outer.items.push_back(std::move(spec));
    spec = std::move(outer);
  }
  return spec;
}

std::string Parser::type_name() {
  constexpr std::array<std::string_view, 5> kTypes = {"integer", "scalar", "logical", "string",
                                                      "complex"};
  if (accept("?")) return "?";
  if (token_.kind != Token::Kind::word ||
      std::find(kTypes.begin(), kTypes.end(), token_.text) == kTypes.end()) {
    fail_expected("a type (integer, scalar, logical, string or ?)");
  }
  return take().value();
}

std::vector<Assignment> Parser::body() {
  std::vector<Assignment> assignments;
  expect("{");
  while (!token_.is_symbol("}")) assignments.push_back(assignment());
  take();
  return assignments;
}

Assignment Parser::assignment() {
  Assignment assignment;
  assignment.left = target();
  expect("=");
  assignment.right = expression();
  expect(";");
  return assignment;
}

Target Parser::target() {
  Target first = target_item();
  if (!token_.is_symbol(",")) return first;
  Target all;
  all.kind = Target::Kind::tuple;
  all.position = first.position;
  all.items.push_back(std::move(first));
  while (accept(",")) all.items.push_back(target_item());
  return all;
}

Target Parser::target_item() {
  const Nesting nesting(*this);
  Target item;
  item.position = token_.position;
  if (token_.is_symbol("(")) {
    item.kind = Target::Kind::tuple;
    item.items = list("(", ")", [this] { return target_item(); });
  } else if (token_.is_symbol("[")) {
    item.kind = Target::Kind::array;
    item.items = list("[", "]", [this] { return target_item(); });
  } else {
    item.name = expect_name("a name to assign to, or '}'");
  }
  return item;
}

}  // namespace strata::opl
