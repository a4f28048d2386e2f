#include "strata/opl/printer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "strata/core/error.h"
#include "strata/opl/parser.h"

namespace strata::opl {
namespace {

Document small_document() {
  Document document;
  document.extensions.push_back({"tract_registry", "tract_core", {}});
  document.extensions.push_back({"tract_symbol", "S", {}});
  Fragment fragment;
  fragment.name = "body";
  fragment.parameters.push_back({"h", TypeSpec{TypeSpec::Kind::tensor, "scalar", {}}, {}, {}});
  fragment.results.push_back({"r", TypeSpec{TypeSpec::Kind::tensor, "scalar", {}}, {}});
  fragment.body.emplace();
  fragment.body->push_back(
      assign("r", call("add", {positional(identifier("h")), positional(number(1.0f))})));
  document.fragments.push_back(std::move(fragment));
  document.graph.inputs.push_back({"x", {}});
  document.graph.outputs.push_back({"a/b", {}});
  auto& body = document.graph.body;
  body.push_back(
      assign("x", call("tract_core_external", {named("shape", array({identifier("S"), number(4)})),
                                               named("datum_type", string("f32"))})));
  body.push_back(assign(std::vector<std::string>{"a/b", "i"},
                        call("tract_core_topk", {positional(identifier("x")), positional(number(2)),
                                                 named("largest", logical(true))})));
  return document;
}

}  // namespace

TEST_CASE("a document prints one assignment a line") {
  CHECK(print(small_document()) == R"(version 1.0;

extension tract_registry tract_core;
extension tract_symbol S;

fragment body(h: tensor<scalar>) -> (r: tensor<scalar>) {
    r = add(h, 1.0);
}

graph network(x) -> (i"a/b") {
    x = tract_core_external(shape = [S, 4], datum_type = "f32");
    (i"a/b", i) = tract_core_topk(x, 2, largest = true);
}
)");
}

TEST_CASE("a long signature takes one line a parameter") {
  Document document = small_document();
  for (int i = 0; i < 3; ++i) {
    document.fragments[0].parameters.push_back({"a_rather_long_name_" + std::to_string(i),
                                                TypeSpec{TypeSpec::Kind::single, "integer", {}},
                                                number(i),
                                                {}});
  }
  const std::string text = print(document);
  CHECK(text.find(R"(fragment body(
    h: tensor<scalar>,
    a_rather_long_name_0: integer = 0,
    a_rather_long_name_1: integer = 1,
    a_rather_long_name_2: integer = 2
) -> (r: tensor<scalar>) {
)") != std::string::npos);
  CHECK(print(parse(text, "t")) == text);
}

TEST_CASE("floats print with the fewest digits, and never look like integers") {
  CHECK(print(number(1.0)) == "1.0");
  CHECK(print(number(0.1f)) == "0.1");
  CHECK(print(number(0.1)) == "0.1");
  CHECK(print(number(-2.5f)) == "-2.5");
  CHECK(print(number(1e30)) == "1e30");
  CHECK(print(number(1e-7)) == "1e-07");
  CHECK(print(number(7)) == "7");
  CHECK(print(number(std::numeric_limits<std::uint64_t>::max())) == "18446744073709551615");
  CHECK(print(number(-std::numeric_limits<double>::infinity())) == "-inf");
  CHECK(print(number(std::nanf(""))) == "NaN");
  CHECK(print(parse_expression("-inf", "t")) == "-inf");
}

TEST_CASE("every float reads back as the same bits") {
  for (const float value :
       {0.0f, -0.0f, 1e-45f, 3.4028235e38f, 1.17549435e-38f, 16777217.0f, 0.3f}) {
    const Expression again = parse_expression(print(number(value)), "t");
    const Number* read = again.get_if<Number>();
    REQUIRE(read);
    CHECK_FALSE(read->is_integer());
    CHECK(read->as_float() == value);
    CHECK(std::signbit(read->as_float()) == std::signbit(value));
  }
}

TEST_CASE("names that readers would take for something else are quoted") {
  CHECK(print(identifier("_a1")) == "_a1");
  for (const char* name :
       {"true", "true_x", "falsey", "info", "NaN", "None", "if", "in", "nan", "1a", "a.b", ""}) {
    CHECK(print(identifier(name)) == "i\"" + std::string(name) + "\"");
  }
}

TEST_CASE("any string reads back unchanged") {
  const std::string nul("a\0b", 3);
  for (const std::string& text :
       {std::string("plain"), std::string("a\"b'c\\d"), std::string("line\nbreak\tand # hash"),
        std::string("{{ x }} {% y %} {# z #}"), std::string("{{{"), std::string("\\n"), nul,
        std::string("\xC3\xA9;")}) {
    const std::string printed = print(string(text));
    CAPTURE(printed);
    for (const char* opener : {"{{", "{%", "{#"}) CHECK(printed.find(opener) == std::string::npos);
    CHECK(parse_expression(printed, "t").get_if<String>()->value == text);
    CHECK(parse_expression(print(identifier(text + "/")), "t").get_if<Identifier>()->name ==
          text + "/");
  }
}

TEST_CASE("printing what was parsed changes nothing") {
  const std::string text = R"(version 1.0;

extension tract_assert prefill: S > 1;

fragment pairs<? = scalar>(a: (string, tensor<?>)[], b) -> (c: integer[][]);

graph network(x) -> (y) {
    (a, [b, (c, d)]) = f<?>((- 1), (- -1), (-x), (!x), None, -1, 1e-5);
    y = [for v in x if (v != 0) yield (v[1:] if (v in x) else [(S + 1), v[0]])];
}
)";
  CHECK(print(parse(text, "t")) == text);
}

TEST_CASE("a tuple of one item cannot be built") {
  CHECK_THROWS_WITH_AS(tuple({number(1)}), doctest::Contains("a tuple of one item"), Error);
}

}  // namespace strata::opl
