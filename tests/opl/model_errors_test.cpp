#include <doctest/doctest.h>

#include "strata/core/error.h"
#include "strata/opl/model.h"

namespace strata::opl {
namespace {

std::string error_of(std::string_view text, const Limits& limits = {}) {
  try {
    from_text(text, limits);
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

}  // namespace

TEST_CASE("sizes that may turn out to be equal do not choose a branch") {
  const auto chosen = [](std::string_view condition) {
    return error_of(
        cat("version 1.0; extension tract_symbol N; graph network(x) -> (y) { x = "
            "tract_core_external(shape = [N], datum_type = \"f32\"); y = relu(x) if ",
            condition, " else neg(x); }"));
  };
  CHECK(chosen("N == N") == "no error");
  CHECK(chosen("N != N") == "no error");
  CHECK(chosen("3 == 4") == "no error");
  for (const char* open : {"N == 1", "N != 1", "N == 2 * N"})
    CHECK(chosen(open).find("has no meaning") != std::string::npos);
}

TEST_CASE("a few lines do not stand for any number of items or nodes") {
  std::string lists =
      "version 1.0; graph network(x) -> (y) { x = external(shape = [2]); a0 = [1, 1]; ";
  for (int i = 1; i < 40; ++i) lists += cat("a", i, " = [a", i - 1, ", a", i - 1, "]; ");
  CHECK(error_of(lists + "y = relu(x); }").find("items of lists are read by name") !=
        std::string::npos);
  Limits limits;
  limits.nodes = 100;
  const std::string unstacked =
      "version 1.0; graph network(x) -> (y) { x = external(shape = [1000]); parts = unstack(x, "
      "axis = 0); y = relu(x); }";
  CHECK(error_of(unstacked, limits).find("the limit of nodes") != std::string::npos);
  CHECK(error_of(unstacked) == "no error");
}

TEST_CASE("fragments that each call two of the one before are refused before they are expanded") {
  std::string text =
      "version 1.0; fragment f0(a: tensor<scalar>) -> (b: tensor<scalar>) { b = relu(a); }\n";
  for (int i = 1; i < 40; ++i)
    text += cat("fragment f", i, "(a: tensor<scalar>) -> (b: tensor<scalar>) { b = f", i - 1,
                "(a) + f", i - 1, "(a); }\n");
  const auto graph = [&](int called) {
    return cat(text, "graph network(x) -> (y) { x = external(shape = [2]); y = f", called,
               "(x); }");
  };
  CHECK(error_of(graph(39)) ==
        "more than 5000000 assignments once fragments are expanded, the limit of nodes");
  // f2 takes one, two of f1 and four of f0, and the graph two.
  Limits limits;
  limits.nodes = 9;
  CHECK(error_of(graph(2), limits) == "no error");
  limits.nodes = 8;
  CHECK(error_of(graph(2), limits) ==
        "more than 8 assignments once fragments are expanded, the limit of nodes");
}

TEST_CASE("what is wrong with a document is told with its place") {
  struct Row {
    const char* body;
    const char* message;
  };
  const Row rows[] = {
      {"y = rellu(x);", "graph.nnef:2:5: no fragment is named \"rellu\", nearest is \"relu\""},
      {"y = relu(z);", "graph.nnef:2:10: nothing is named \"z\""},
      {"y = softmax(x, axis = [1]);",
       "graph.nnef:2:23: softmax has no parameter \"axis\", nearest is \"axes\""},
      {"y = softmax(x, axes = [0], axes = [0]);",
       "graph.nnef:2:35: parameter \"axes\" is given twice"},
      {"y = tract_core_cast(x, to = \"i8\") < 1000;",
       "graph.nnef:2:37: a tensor of type i8 is wanted, not i64[] 1000"},
      {"y = max(tract_core_cast(x, to = \"u8\"), -1);",
       "graph.nnef:2:40: a tensor of type u8 is wanted, not i64[] -1"},
      {"w = 4 / 0; y = relu(x);", "graph.nnef:2:5: dimension 4 is divided by 0"},
      {"w = 9223372036854775807 + 1; y = relu(x);", "graph.nnef:2:5: "},
      {"y = relu(z) if NaN >= 0.0 else relu(x, y = x);", "graph.nnef:2:44: relu has no parameter"},
      {"y = add(x);", "graph.nnef:2:5: add lacks its argument \"y\""},
      {"(y, z) = relu(x);", "graph.nnef:2:1: 2 names for 1 results"},
      {"y = concat([x, x], axis = \"1\");",
       "graph.nnef:2:27: \"axis\" must be an integer, not a string"},
      {"y = variable(label = \"w\", shape = [1]);",
       "graph.nnef:2:5: the text has no file for the variable \"w\""},
      {"y = strata_unary(x, operation = \"gelu\");",
       "graph.nnef:2:33: Unary has no attribute \"operation\""},
      {"y = reshape(x, shape = [1], axis_start = 100);",
       "graph.nnef:2:5: axes 100 to 1 of a tensor of rank 1"},
      {"w = 3 == 4; y = relu(x) if w else neg(z);", "graph.nnef:2:39: nothing is named \"z\""},
      {"w = external(shape = [2]); y = add(x, w);",
       "graph.nnef: \"w\" is an external but is not listed as an input"},
      {"z = relu(x);", "graph.nnef:1:48: nothing is assigned to \"y\""},
  };
  for (const Row& row : rows) {
    const std::string text =
        cat("version 1.0; graph network(x) -> ( y ) { x = external(shape = [2]);\n", row.body, "}");
    const std::string message = row.message;
    const std::string body = row.body;
    CAPTURE(body);
    const std::string actual = error_of(text);
    if (body.starts_with("z = "))
      CHECK(actual.find("nothing is assigned to \"y\"") != std::string::npos);
    else
      CHECK(actual.substr(0, message.size()) == message);
  }
}

TEST_CASE("what is wrong with a document's head or its graph's ports is told with its place") {
  struct Row {
    const char* text;
    const char* message;
  };
  const Row rows[] = {
      {"version 9.9; graph network(x) -> (y) { x = external(shape = [2]); y = neg(x); }",
       "graph.nnef: version 9.9 is not supported, 1.0 is"},
      {"version 1.0; extension foo bar;\n"
       "graph network(x) -> (y) { x = external(shape = [2]); y = neg(x); }",
       "graph.nnef:1:14: nobody knows the extension \"foo\""},
      {"version 1.0;\nextension KHR_enable_time_travel;\n"
       "graph network(x) -> (y) { x = external(shape = [2]); y = neg(x); }",
       "graph.nnef:2:1: nobody knows the extension \"KHR_enable_time_travel\""},
      {"version 1.0; graph network(x, x) -> (y) { x = external(shape = [2]); y = neg(x); }",
       "graph.nnef:1:31: input \"x\" is listed twice"},
      {"version 1.0;\nextension tract_symbol \"N\"*0;\n"
       "graph network(x) -> (y) { x = external(shape = [2]); y = neg(x); }",
       "\"N\"*0 is no symbol"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(error_of(row.text) == row.message);
  }
}

TEST_CASE("sizes that an input cannot have are an error of the input") {
  struct Row {
    const char* input;
    const char* message;
    const char* frame;
  };
  const Row rows[] = {
      {"external(shape = [-2])", "shape [-2] has a negative dim", "external at graph.nnef:1:44"},
      {"external(shape = [9223372036854775807, 2])",
       "shape [9223372036854775807,2] has more elements than int64 can count",
       "external at graph.nnef:1:44"},
      {"strata_external(type = \"sequence(f32[-2])\")", "shape [-2] has a negative dim",
       "strata_external at graph.nnef:1:44"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.input);
    try {
      from_text(cat("version 1.0; graph network(x) -> (x) { x = ", row.input, "; }"));
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::invalid_model);
      CHECK(error.message() == row.message);
      CHECK(error.frames() == std::vector<std::string>{row.frame});
    }
  }
}

TEST_CASE("types that nest deeper than ONNX's are refused") {
  std::string type;
  for (int i = 0; i < 100000; ++i) type += "sequence(";
  const std::string text =
      cat("version 1.0; graph network(x) -> (x) { x = strata_external(type = \"", type, "\"); }");
  CHECK(error_of(text).ends_with("a type nests deeper than 16"));
}

TEST_CASE("fragments that call themselves are refused") {
  const std::string text =
      "version 1.0; fragment f(a: tensor<scalar>) -> (b: tensor<scalar>) { b = f(a); }\n"
      "graph network(x) -> (y) { x = external(shape = [2]); y = f(x); }";
  CHECK(error_of(text).find("fragments nest deeper than") != std::string::npos);
}

TEST_CASE("a fragment whose parameters share a name is refused where it is called") {
  CHECK(error_of("version 1.0; extension KHR_enable_fragment_definitions; fragment f(a: "
                 "tensor<scalar>, a: tensor<scalar>) -> (b: tensor<scalar>) { b = relu(a); } graph "
                 "network(x) -> (y) { x = external(shape = [2]); y = f(x, neg(x)); }")
            .find("f has two parameters \"a\"") != std::string::npos);
}

TEST_CASE("the number of assignments is limited") {
  Limits limits;
  limits.nodes = 2;
  const std::string text =
      "version 1.0; graph network(x) -> (y) { x = external(shape = [2]); a = x; y = relu(a); }";
  CHECK(error_of(text) == "no error");
  CHECK(error_of(text, limits).find("2") != std::string::npos);
}

}  // namespace strata::opl
