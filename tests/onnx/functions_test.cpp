#include "model_text.h"

namespace strata::testing {
namespace {

constexpr const char* kHeader = "<ir_version: 8, opset_import: [\"\" : 13, \"f\" : 1]> ";
constexpr const char* kFunctionHeader = "<domain: \"f\", opset_import: [\"\" : 13]> ";

hir::InferenceModel load_text(const std::string& graph, const std::string& functions) {
  return load_proto(model_of(cat(kHeader, graph, functions)));
}

Error error_of_text(const std::string& graph, const std::string& functions) {
  return error_of([&] { load_text(graph, functions); });
}

}  // namespace

TEST_CASE("a function of the model is inlined, its names kept apart from the caller's") {
  const auto model = load_text(
      "g (float x) => (float y) { t = Identity(x) y = f.twice(t) }",
      cat(kFunctionHeader, "twice (a) => (b) { t = Concat<axis = 0>(a, a) b = Identity(t) }"));
  REQUIRE(model.outputs().size() == 1);
  const auto& last = model.node(model.outputs()[0].outlet.node);
  CHECK(last.name == "y/b");
  const auto& concat = model.node(last.inputs[0].node);
  CHECK(concat.name == "y/t");
  CHECK(model.node(concat.inputs[0].node).name == "t");
}

TEST_CASE("an attribute reference takes the value of the call") {
  auto proto =
      model_of(cat(kHeader, "g (float x) => (float y) { y = f.join<way = 1>(x) }", kFunctionHeader,
                   "join <way> (a) => (b) { b = Concat<axis : int = @way>(a, a) }"));
  CHECK(load_proto(proto).live_nodes() == 2);
  // Left out by the call, the attribute is absent in the body.
  proto.mutable_graph()->mutable_node(0)->clear_attribute();
  CHECK(error_of_model(proto).message() == "attribute \"axis\" is missing");
}

TEST_CASE("an attribute reference of another type, or outside any function") {
  const Error type = error_of_text(
      "g (float x) => (float y) { y = f.join<way = \"up\">(x) }",
      cat(kFunctionHeader, "join <way> (a) => (b) { b = Concat<axis : int = @way>(a) }"));
  CHECK(type.message() ==
        "attribute \"way\" of the function is a string, its body wants an integer");
  CHECK(error_of_text("g (float x) => (float y) { y = Concat<axis : int = @way>(x) }", "")
            .message() == "attribute \"axis\" refers to \"way\" of a function, but is in none");
}

TEST_CASE("an attribute that a function does not have, and too many inputs") {
  const std::string function = cat(kFunctionHeader, "same (a) => (b) { b = Identity(a) }");
  CHECK(error_of_text("g (float x) => (float y) { y = f.same<way = 1>(x) }", function).message() ==
        "attribute \"way\" is not one that function \"f.same\" has");
  CHECK(error_of_text("g (float x) => (float y) { y = f.same(x, x) }", function).message() ==
        "function \"f.same\" takes 1 input, 2 given");
}

TEST_CASE("an input that a call leaves out is left out in the body") {
  const auto model =
      load_text("g (float x) => (float y) { y = f.clip(x) }",
                cat(kFunctionHeader, "clip (a, low, high) => (b) { b = Clip(a, low, high) }"));
  const auto& clip = model.node(model.outputs()[0].outlet.node);
  REQUIRE(clip.inputs.size() == 3);
  CHECK(clip.inputs[1].is_absent());
  CHECK(clip.inputs[2].is_absent());
}

TEST_CASE("a function sees none of its caller's names") {
  const Error error = error_of_text("g (float x) => (float y) { y = f.same(x) }",
                                    cat(kFunctionHeader, "same (a) => (b) { b = Identity(x) }"));
  CHECK(error.message().starts_with("nothing defines \"x\""));
  CHECK(error.frames().size() == 2);
}

TEST_CASE("a function that calls itself through another is refused") {
  const Error error = error_of_text("g (float x) => (float y) { y = f.ping(x) }",
                                    cat("<domain: \"f\", opset_import: [\"\" : 13, \"f\" : 1]> "
                                        "ping (a) => (b) { b = f.pong(a) } ",
                                        "<domain: \"f\", opset_import: [\"\" : 13, \"f\" : 1]> "
                                        "pong (a) => (b) { b = f.ping(a) }"));
  CHECK(error.kind() == ErrorKind::invalid_model);
  CHECK(error.message() == "function \"f.ping\" calls itself");
}

TEST_CASE("two functions of one name are refused") {
  const std::string function = cat(kFunctionHeader, "same (a) => (b) { b = Identity(a) } ");
  CHECK(
      error_of_text("g (float x) => (float y) { y = f.same(x) }", function + function).message() ==
      "function \"f.same\" is defined twice");
}

TEST_CASE("functions that double their calls at every level reach the limit on nodes") {
  std::string functions = cat(kFunctionHeader, "f0 (a) => (b) { b = Identity(a) } ");
  for (int i = 1; i < 30; ++i)
    functions += cat(kFunctionHeader, "f", i, " (a) => (b) { t = f.f", i - 1, "(a) b = f.f", i - 1,
                     "(t) } ");
  Limits limits;
  limits.nodes = 10000;
  const Error error = error_of_model(
      model_of(cat(kHeader, "g (float x) => (float y) { y = f.f29(x) }", functions)), limits);
  CHECK(error.kind() == ErrorKind::limit);
  CHECK(error.message() ==
        "the model has more than 10000 nodes once its functions are inlined (Limits::nodes)");
  // It is found by counting: no node was being added.
  CHECK(error.frames().empty());
}

TEST_CASE("calls count with the nodes they become, in bodies too") {
  const std::string functions =
      cat(kFunctionHeader, "pair (a) => (b) { t = Identity(a) b = Identity(t) } ",
          "<domain: \"f\", opset_import: [\"\" : 13, \"f\" : 1]> four (a) => (b) {"
          " t = f.pair(a) b = f.pair(t) }");
  const auto model = model_of(
      cat(kHeader,
          "g (bool c, float x) => (float y) { y = If (c) <then_branch = t () => (float p) {"
          " p = f.four(x) }, else_branch = e () => (float q) { q = f.pair(x) }> }",
          functions));
  // 1 for If; 1 + 2 * (1 + 2) for four; 1 + 2 for pair.
  Limits limits;
  limits.nodes = 11;
  CHECK_NOTHROW(load_proto(model, limits));
  limits.nodes = 10;
  CHECK(error_of_model(model, limits).kind() == ErrorKind::limit);
}

TEST_CASE("functions that call one another too deep") {
  std::string functions = cat(kFunctionHeader, "f0 (a) => (b) { b = Identity(a) } ");
  for (int i = 1; i < 4; ++i)
    functions += cat("<domain: \"f\", opset_import: [\"\" : 13, \"f\" : 1]> f", i,
                     " (a) => (b) { b = f.f", i - 1, "(a) } ");
  const auto model = model_of(cat(kHeader, "g (float x) => (float y) { y = f.f3(x) }", functions));
  Limits limits;
  limits.nesting = 4;
  CHECK_NOTHROW(load_proto(model, limits));
  limits.nesting = 3;
  const Error error = error_of_model(model, limits);
  CHECK(error.kind() == ErrorKind::limit);
  CHECK(error.message() == "functions call one another deeper than 3 (Limits::nesting)");
}

TEST_CASE("a function's opsets are checked as the model's are") {
  auto model = model_of(cat(kHeader, "g (float x) => (float y) { y = f.same(x) }", kFunctionHeader,
                            "same (a) => (b) { b = Identity(a) }"));
  struct Row {
    std::int64_t version;
    ErrorKind kind;
    const char* message;
  };
  const Row rows[] = {
      {0, ErrorKind::invalid_model, "opset 0 of ai.onnx is imported; versions begin at 1"},
      {99, ErrorKind::unsupported, "opset 99 of ai.onnx is too new: up to 28 is supported"},
      {4294967309, ErrorKind::unsupported,
       "opset 4294967309 of ai.onnx is too new: up to 28 is supported"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.version);
    model.mutable_functions(0)->mutable_opset_import(0)->set_version(row.version);
    const Error error = error_of_model(model);
    CHECK(error.kind() == row.kind);
    CHECK(error.message() == row.message);
    CHECK(error.frames() == std::vector<std::string>{"function \"f.same\""});
  }
  model.mutable_functions(0)->mutable_opset_import(0)->set_version(13);
  auto& second = *model.mutable_functions(0)->add_opset_import();
  second.set_version(14);
  CHECK(error_of_model(model).message() ==
        "domain ai.onnx is imported as opset 13 and as opset 14");
}

TEST_CASE("a body in a function captures the function's names and refers to its attributes") {
  const auto model = load_text("g (bool c, float x) => (float y) { y = f.pick<way = 1>(c, x) }",
                               cat(kFunctionHeader,
                                   "pick <way> (k, a) => (b) { b = If (k) <then_branch = t () => "
                                   "(float p) { p = Concat<axis : int = @way>(a) },"
                                   " else_branch = e () => (float q) { q = Identity(a) }> }"));
  const auto& node = model.node(model.outputs()[0].outlet.node);
  REQUIRE(node.inputs.size() == 2);
  CHECK(model.node(node.inputs[1].node).name == "x");
}

}  // namespace strata::testing
