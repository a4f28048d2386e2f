#include "strata/opl/parser.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "strata/core/error.h"
#include "strata/opl/printer.h"

namespace strata::opl {
namespace {

Expression read(std::string_view text) { return parse_expression(text, "graph.nnef"); }

Error error_of(std::string_view text) {
  try {
    parse(text, "graph.nnef");
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorKind::internal, "no error");
}

std::string in_graph(std::string_view body) {
  return "version 1.0;\ngraph g(x) -> (y) {\n" + std::string(body) + "\n}\n";
}

constexpr std::string_view kDocument = R"(version 1.0;
# a comment
extension tract_registry tract_core;
extension tract_assert prefill:   S >
    1;
extension KHR_enable_fragment_definitions;

fragment scan_body_0(
    h: tensor<scalar>,
    n: integer = 1
) -> (r: tensor<scalar>)
{
  r = add(h, n);
}
fragment declared<? = scalar>(a: (string, tensor<?>)[]) -> (b: integer[][]);

graph network(x, i"a/b") -> (y) {
  x = tract_core_external(shape = [S, 4], datum_type = "F32");
  w = variable<scalar>(label = 'w.0', shape = [4, 3]);
  ( v, i ) = tract_core_topk(x, 2, axis = 1);
  p, q = f(x);
  [c, d] = split(x);
  y = matmul(x, w, transposeA = false); # done
}
)";

}  // namespace

TEST_CASE("a document keeps its extensions, fragments and graph") {
  const Document document = parse(kDocument, "graph.nnef");
  CHECK(document.version == "1.0");
  REQUIRE(document.extensions.size() == 3);
  CHECK(document.extensions[0].name == "tract_registry");
  CHECK(document.extensions[0].text == "tract_core");
  CHECK(document.extensions[1].text == "prefill: S > 1");
  CHECK(document.extensions[2].text.empty());

  REQUIRE(document.fragments.size() == 2);
  const Fragment& body = document.fragments[0];
  CHECK(body.name == "scan_body_0");
  REQUIRE(body.parameters.size() == 2);
  CHECK(body.parameters[0].type->kind == TypeSpec::Kind::tensor);
  CHECK(body.parameters[0].type->name == "scalar");
  CHECK(body.parameters[1].default_value->get_if<Number>()->as_int64() == 1);
  CHECK(body.results[0].name == "r");
  CHECK(body.body->size() == 1);
  const Fragment& declared = document.fragments[1];
  CHECK(declared.is_generic);
  CHECK(declared.generic_default == "scalar");
  CHECK_FALSE(declared.body.has_value());
  CHECK(declared.results[0].type->items[0].kind == TypeSpec::Kind::array);

  const Graph& graph = document.graph;
  CHECK(graph.inputs[1].name == "a/b");
  REQUIRE(graph.body.size() == 6);
  CHECK(graph.body[2].left.kind == Target::Kind::tuple);
  CHECK(graph.body[2].left.items[1].name == "i");
  CHECK(graph.body[3].left.items[1].name == "q");
  CHECK(graph.body[4].left.kind == Target::Kind::array);
  const Call& variable = *graph.body[1].right.get_if<Call>();
  CHECK(variable.type == "scalar");
  CHECK(variable.arguments[0].name == "label");
  CHECK(variable.arguments[0].value.get_if<String>()->value == "w.0");
  CHECK(graph.body[5].right.position.line == 23);
  CHECK(graph.body[5].right.position.column == 7);
}

TEST_CASE("a number is an integer unless it has a dot or an exponent, and keeps its digits") {
  struct Case {
    std::string_view text;
    bool is_integer;
    double value;
  };
  const double inf = std::numeric_limits<double>::infinity();
  const Case cases[] = {{"0", true, 0},        {"-12", true, -12},      {"1.", false, 1},
                        {"2.5", false, 2.5},   {"1e3", false, 1000},    {"-2.5E-1", false, -0.25},
                        {"1e999", false, inf}, {"-1e999", false, -inf}, {"-inf", false, -inf},
                        {"1e-999", false, 0},  {"0.1", false, 0.1}};
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const Expression expression = read(c.text);
    const Number* number = expression.get_if<Number>();
    REQUIRE(number);
    CHECK(number->text == c.text);
    CHECK(number->is_integer() == c.is_integer);
    CHECK(number->as_double() == c.value);
  }
  CHECK(read("18446744073709551615").get_if<Number>()->as_uint64() == 18446744073709551615u);
  CHECK_FALSE(read("9223372036854775808").get_if<Number>()->as_int64().has_value());
  CHECK_FALSE(read("1.0").get_if<Number>()->as_int64().has_value());
  CHECK(read("1e39").get_if<Number>()->as_float() == std::numeric_limits<float>::infinity());
  for (const char* text : {"NaN", "nan", "-NaN"}) {
    const double nan = read(text).get_if<Number>()->as_double();
    CHECK(nan != nan);
  }
  CHECK(read("infx").get_if<Identifier>()->name == "infx");
  CHECK(read("inf(x)").is<Call>());
  // 1 + 2^-24 + 2^-60 rounds up in float; through double it would first fall to the tie, then down
  // to 1
  CHECK(read("1.00000005960464477625668165").get_if<Number>()->as_float() == 1.00000011920928955f);
}

TEST_CASE("strings and quoted names are unescaped") {
  CHECK(read(R"("a\"b\\c'd")").get_if<String>()->value == "a\"b\\c'd");
  CHECK(read(R"('x"y\'z')").get_if<String>()->value == "x\"y'z");
  CHECK(read(R"("{\{ x")").get_if<String>()->value == "{{ x");
  CHECK(read(R"("a\nb")").get_if<String>()->value == "a\nb");
  CHECK(read("i\"m/1.x\"").get_if<Identifier>()->name == "m/1.x");
  CHECK(read("i\"true\"").get_if<Identifier>()->name == "true");
  CHECK(read("true").get_if<Logical>()->value);
  CHECK_FALSE(read("false").get_if<Logical>()->value);
  CHECK(read("None").is<None>());
  CHECK(read("true_positive").get_if<Identifier>()->name == "true_positive");
}

TEST_CASE("infix expressions bind as in arithmetic and lean to the left") {
  struct Case {
    std::string_view text;
    std::string_view explicit_text;
  };
  const Case cases[] = {
      {"a + b * c", "(a + (b * c))"},
      {"a - b - c", "((a - b) - c)"},
      {"a * b ^ 2", "(a * (b ^ 2))"},
      {"a + 1 <= b && c || d", "((((a + 1) <= b) && c) || d)"},
      {"-a * b", "((-a) * b)"},
      {"!a == b", "((!a) == b)"},
      {"S-1", "(S - 1)"},
      {"S - -1", "(S - -1)"},
      {"a < b", "(a < b)"},
      {"f<scalar>(x)", "f<scalar>(x)"},
      {"a < scalar", "(a < scalar)"},
      {"x if a > 0 else y if b else z", "(x if (a > 0) else (y if b else z))"},
      {"xs[0]", "xs[0]"},
      {"xs[1:]", "xs[1:]"},
      {"xs[:2]", "xs[:2]"},
      {"f(x)[a + 1:b][0]", "f(x)[(a + 1):b][0]"},
      {"[for x in xs, y in ys if x > 0 yield f(x)]",
       "[for x in xs, y in ys if (x > 0) yield f(x)]"},
      {"[for, if]", "[i\"for\", i\"if\"]"},
      {"((a))", "a"},
      {"()", "()"},
      {"(\"k\", v, 1.0)", "(\"k\", v, 1.0)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(print(read(c.text)) == c.explicit_text);
  }
}

TEST_CASE("an error names the place, what was expected and what is there") {
  struct Case {
    std::string text;
    std::string message;
  };
  const Case cases[] = {
      {"", "graph.nnef:1:1: expected 'version', got the end of the file"},
      {"version 1.0", "graph.nnef:1:12: expected ';', got the end of the file"},
      {"version 1.0;\nfoo",
       "graph.nnef:2:1: expected 'extension', 'fragment' or 'graph', got 'foo'"},
      {in_graph("y = f(x x);"), "graph.nnef:3:9: expected ',' or ')', got 'x'"},
      {in_graph("y = f(x);\nz = ;"), "graph.nnef:4:5: expected an expression, got ';'"},
      {in_graph("y = \"abc;"), "graph.nnef:3:5: a string starts here and does not end"},
      {in_graph("y = \"é\" x;"), "graph.nnef:3:9: expected ';', got 'x'"},
      {in_graph("y = 12ab;"), "graph.nnef:3:7: expected the end of a number"},
      {in_graph("y = 1e;"), "graph.nnef:3:7: expected the digits of an exponent"},
      {in_graph("y = @;"), "graph.nnef:3:5: unexpected character \"@\""},
      {in_graph("= 1;"), "graph.nnef:3:1: expected a name to assign to, or '}', got '='"},
      {in_graph("y = 1;") + "graph", "graph.nnef:5:1: expected the end of the file, got 'graph'"},
  };
  for (const Case& c : cases) {
    const Error error = error_of(c.text);
    CHECK(error.kind() == ErrorKind::invalid_model);
    CHECK(error.message() == c.message);
  }
}

TEST_CASE("hostile nesting is refused, not followed") {
  const auto repeat = [](std::string_view text, int times) {
    std::string all;
    while (times-- > 0) all += text;
    return all;
  };
  const int many = 1'000'000;
  for (const std::string& body :
       {"y = " + repeat("(", many), "y = " + repeat("[", many), "y = " + repeat("-", many) + "x;",
        "y = " + repeat("f(", many), repeat("(", many), "y = a" + repeat("[0]", many) + ";",
        "y = a" + repeat(" + a", many) + ";", "y = a" + repeat(" if b else a", many) + ";"}) {
    const Error error = error_of(in_graph(body));
    CHECK(error.kind() == ErrorKind::limit);
    CHECK(error.message().find("nested deeper than 200 levels") != std::string::npos);
  }
  const std::string shallow = repeat("[", 150) + repeat("]", 150);
  CHECK(print(read(shallow)) == shallow);
}

}  // namespace strata::opl
