#include "model_text.h"

namespace strata::testing {
namespace {

std::string chain_of_ifs(int depth) {
  std::string body = "y0 = Identity(x)";
  for (int i = 1; i <= depth; ++i) {
    const std::string inner = cat("y", i - 1), outer = cat("y", i);
    body = cat(outer, " = If (c) <then_branch = t () => (float ", inner, ") { ", body,
               " }, else_branch = e", i, " () => (float z", i, ") { z", i, " = Identity(x) }>");
  }
  return cat("g (bool c, float x) => (float y", depth, ") { ", body, " }");
}

std::vector<std::string> input_names(const hir::InferenceModel& model) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < model.inputs().size(); ++i) names.push_back(model.input_name(i));
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("nodes may be listed in any order") {
  const auto model = load_graph(
      "g (float x) => (float z) { z = Concat<axis = 0>(y, y) y = Concat<axis = 0>(x, x) }");
  CHECK(node_called(model, "z").inputs[0].node ==
        model.node(model.outputs()[0].outlet.node).inputs[0].node);
}

TEST_CASE("a cycle is refused") {
  const Error error = error_of_graph(
      "g (float x) => (float z) { z = Concat<axis = 0>(x, y) y = Concat<axis = 0>(x, z) }");
  CHECK(error.kind() == ErrorKind::invalid_model);
  CHECK(error.message() == "the graph has a cycle through Concat \"z\"");
}

TEST_CASE("a name may be defined only once") {
  CHECK(error_of_graph("g (float x) => (float y) { y = Identity(x) y = Identity(x) }").message() ==
        "\"y\" is defined twice: by Identity \"y\" and by Identity \"y\"");
  CHECK(error_of_graph("g (float x) => (float x) { x = Identity(x) }").message() ==
        "\"x\" is defined twice: as an input or initializer, and by Identity \"x\"");
  CHECK(error_of_graph("g (float y, float x) => (float y) { y = Identity(x) }").message() ==
        "\"y\" is defined twice: as an input or initializer, and by Identity \"y\"");
  CHECK(error_of_graph("g (float x, float x) => (float y) { y = Identity(x) }").message() ==
        "two inputs are named \"x\"");
  CHECK(error_of_graph("g (float x) => (float y, float y) { y = Identity(x) }").message() ==
        "two outputs have this name");
}

TEST_CASE("a Constant has one value") {
  const std::string end = ">() }", graph = "g () => (y) { y = Constant<";
  CHECK(error_of_graph(cat(graph, "value_int = 1, value_float = 2.0", end)).message() ==
        "Constant has two values, \"value_float\" and \"value_int\"");
  CHECK(error_of_graph(cat(graph, "value_ints = [1], value = float {1}", end)).message() ==
        "Constant has two values, \"value\" and \"value_ints\"");
  CHECK(error_of_graph("g () => (y) { y = Constant() }").message() == "Constant has no value");
}

TEST_CASE("an unknown name is an error of the node that reads it") {
  const Error error =
      error_of_graph("g (float image) => (float y) { y = Concat<axis = 0>(imago) }");
  CHECK(error.message() == "nothing defines \"imago\"; did you mean \"image\"?");
  CHECK(error.frames() == Names{"Concat \"y\" (node 0, ONNX Concat, opset 13)"});
}

TEST_CASE("a node is numbered by its place in its graph or function, in errors of every stage") {
  const Error loading = error_of_graph(
      "g (float[2] x, float[2] w) => (float y) { z = Add(x, nobody) y = Identity(z) v = Neg(w) }");
  CHECK(loading.frames() == Names{"Add \"z\" (node 0, ONNX Add, opset 13)"});
  auto model = load_graph(
      "g (float[2] x) => (float y) <float[3] w = {1, 2, 3}> { z = Neg(x) y = Add(z, w) }");
  const Error analysing = error_of([&] { model.analyse(); });
  CHECK(analysing.frames().back() == "Add \"y\" (node 1, ONNX Add, opset 13)");
  const Error inlining =
      error_of_model(model_of("<ir_version: 8, opset_import: [\"\" : 13, \"f\" : 1]> "
                              "g (float x) => (float y) { z = Neg(x) y = f.two(z) } "
                              "<domain: \"f\", opset_import: [\"\" : 13]> "
                              "two (a) => (b) { c = Neg(a) d = Neg(c) b = Add(d, nobody) }"));
  CHECK(inlining.frames() == Names{"Add \"y/b\" (node 2, ONNX Add, opset 13)",
                                   "two \"y\" (node 1, ONNX f.two, opset 1)"});
}

TEST_CASE("an unknown op, an unknown domain and an op of a later opset") {
  const Error op = error_of_graph("g (float x) => (float y) { y = Concatt<axis = 0>(x) }");
  CHECK(op.kind() == ErrorKind::unsupported);
  CHECK(op.message() == "op \"Concatt\" of domain ai.onnx is not known; did you mean \"Concat\"?");
  const Error domain =
      error_of_model(model_of("<ir_version: 8, opset_import: [\"\" : 13, \"com.a\" : 1]> g (float "
                              "x) => (float y) { y = com.a.Concat(x) }"));
  CHECK(domain.kind() == ErrorKind::unsupported);
  CHECK(domain.message() == "op \"Concat\" of domain \"com.a\" is not supported");
  const Error later =
      error_of_model(model_of("<ir_version: 8, opset_import: [\"\" : 8]> g (float x) => (float y) "
                              "{ y = ConstantOfShape(x) }"));
  CHECK(later.message() == "op \"ConstantOfShape\" came with opset 9, the model imports 8");
}

TEST_CASE("an op of a domain that is not imported") {
  auto model = model_of_graph("g (float x) => (float y) { y = Identity(x) }");
  model.mutable_opset_import(0)->set_domain("com.a");
  CHECK(error_of_model(model).message() == "no opset of domain ai.onnx is imported");
}

TEST_CASE("an attribute that the op does not have, of another type, or given twice") {
  const Error unknown =
      error_of_graph("g (float x) => (float y) { y = Concat<axis = 0, foo = 1>(x) }");
  CHECK(unknown.kind() == ErrorKind::invalid_model);
  CHECK(unknown.message() == "attribute \"foo\" is not one that Concat version 13 has");
  CHECK(error_of_graph("g (float x) => (float y) { y = Concat<axis = 1.5>(x) }").message() ==
        "attribute \"axis\" is a float, Concat wants an integer");
  CHECK(
      error_of_graph("g (float x) => (float y) { y = Concat<axis = 0, axis = 0>(x) }").message() ==
      "attribute \"axis\" is given twice");
}

TEST_CASE("the wrong number of inputs and a missing attribute") {
  CHECK(error_of_graph("g (float x) => (float y) { y = Concat<axis = 0>() }").message() ==
        "Concat takes at least 1 input, 0 given");
  CHECK(error_of_graph("g (float x) => (float y) { y = Concat(x) }").message() ==
        "attribute \"axis\" is missing");
}

TEST_CASE("outputs at the end that have no name need not be outputs of the op") {
  for (const char* const op : {"Dropout", "MaxPool <kernel_shape = [1]>", "Neg"}) {
    CAPTURE(op);
    auto proto =
        model_of_graph(cat("g (float[1, 1, 3] x) => (float[1, 1, 3] y) { y = ", op, "(x) }"));
    auto& node = *proto.mutable_graph()->mutable_node(0);
    node.add_output("");
    node.add_output("");
    hir::InferenceModel model = load_proto(proto);
    model.analyse();
    CHECK(model.to_typed().output_fact(0).to_string() == "f32[1,1,3]");
  }
  auto proto = model_of_graph("g (float x) => (float y) { y = Neg(x) }");
  proto.mutable_graph()->mutable_node(0)->add_output("z");
  hir::InferenceModel model = load_proto(proto);
  CHECK(error_of([&] { model.analyse(); }).message() == "the node has 2 outputs, the op 1");
}

TEST_CASE("a function may be called with more outputs than it has, if they have no name") {
  auto proto = model_of(
      "<ir_version: 8, opset_import: [\"\" : 13, \"local\" : 1]> "
      "g (float x) => (float y) { y = local.twice(x) } "
      "<domain: \"local\", opset_import: [\"\" : 13]> twice (a) => (b) { b = Add(a, a) }");
  auto& node = *proto.mutable_graph()->mutable_node(0);
  node.add_output("");
  CHECK_NOTHROW(load_proto(proto));
  node.set_output(1, "z");
  CHECK(error_of_model(proto).message() == "function \"local.twice\" has 1 output, the node 2");
}

TEST_CASE("nodes without names, or with one name, get names of their own") {
  auto proto = model_of_graph(
      "g (float x) => (float c) { a = Identity(x) b = Identity(a) c = Identity(b) }");
  proto.mutable_graph()->mutable_node(0)->set_name("same");
  proto.mutable_graph()->mutable_node(1)->set_name("same");
  const auto model = load_proto(proto);
  CHECK(node_called(model, "same").inputs.size() == 1);
  CHECK(node_called(model, "same.1").inputs.size() == 1);
  CHECK(node_called(model, "c").inputs.size() == 1);
}

TEST_CASE("an initializer that is listed as an input is a constant") {
  auto proto =
      model_of_graph("g (float[1] x, float[1] w) => (float[2] y) { y = Concat<axis = 0>(x, w) }");
  auto& tensor = *proto.mutable_graph()->add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(::onnx::TensorProto::FLOAT);
  tensor.add_dims(1);
  tensor.add_float_data(2.5f);
  const auto model = load_proto(proto);
  CHECK(input_names(model) == Names{"x"});
  const OutletId w = node_called(model, "y").inputs[1];
  REQUIRE(model.fact(w).value);
  CHECK(model.fact(w).value->tensor() == Tensor::of<float>({1}, {2.5f}));
}

TEST_CASE("both branches of an If take what either captures, in one order") {
  const auto model = load_graph(
      "g (bool c, float a, float b) => (float y) {"
      "  y = If (c) <then_branch = t () => (float p) { p = Concat<axis = 0>(b) },"
      "              else_branch = e () => (float q) { q = Concat<axis = 0>(a, b) }> }");
  const auto& node = node_called(model, "y");
  REQUIRE(node.inputs.size() == 3);
  CHECK(model.node(node.inputs[1].node).name == "b");
  CHECK(model.node(node.inputs[2].node).name == "a");
  REQUIRE(node.op.bodies().size() == 2);
  CHECK(input_names(*node.op.bodies()[0]) == Names{"b", "a"});
  CHECK(input_names(*node.op.bodies()[1]) == Names{"b", "a"});
}

TEST_CASE("what an inner body captures passes through the bodies around it") {
  const auto model = load_graph(chain_of_ifs(3));
  const hir::InferenceModel* body = &model;
  for (int i = 3; i > 0; --i) {
    const auto& node = node_called(*body, cat("y", i));
    // The outermost If reads c itself and passes it on as well.
    CHECK(node.inputs.size() == (i > 1 ? 3u : 2u));
    body = node.op.bodies()[0].get();
  }
  CHECK(input_names(*body) == Names{"x"});
}

TEST_CASE("a name of a body hides the same name outside") {
  const auto model = load_graph(
      "g (bool c, float a) => (float y) {"
      "  y = If (c) <then_branch = t () => (float p) { b = Concat<axis = 0>(a) p = Identity(b) },"
      "              else_branch = e () => (float y) { y = Identity(a) }>"
      "  b = Identity(a) }");
  CHECK(node_called(model, "y").inputs.size() == 2);
}

TEST_CASE("a body may return a value of the graph around it") {
  const auto model = load_graph(
      "g (bool c, float a) => (float y) {"
      "  y = If (c) <then_branch = t () => (float a) { }, else_branch = e () => (float q) { q = "
      "Identity(a) }> }");
  CHECK(model.node(model.outputs()[0].outlet.node).op.bodies()[0]->outputs().size() == 1);
}

TEST_CASE("a body may not read what a later node makes") {
  const Error error = error_of_graph(
      "g (bool c, float a) => (float y) {"
      "  y = If (c) <then_branch = t () => (float p) { p = Identity(late) },"
      "              else_branch = e () => (float q) { q = Identity(a) }>"
      "  late = Identity(a) }");
  CHECK(error.kind() == ErrorKind::invalid_model);
  CHECK(error.message() ==
        "the body of If \"y\" reads \"late\", which Identity \"late\" makes later");
}

TEST_CASE("a node of a body may not take the name of a value outside, an input may") {
  const Error error = error_of_graph(
      "g (bool c, float a) => (float y) {"
      "  y = If (c) <then_branch = t () => (float a) { a = Constant <value = float {1}> () },"
      "              else_branch = e () => (float q) { q = Identity(a) }> }");
  CHECK(error.message() ==
        "Constant \"a\" names its output \"a\", which is the name of a value outside of the body");
  CHECK_NOTHROW(
      load_graph("g (int64 n, bool c, float a) => (float y) {"
                 "  y = Loop (n, c, a) <body = b (int64 i, bool c, float a) => (bool d, float z) {"
                 "    d = Identity(c)  z = Identity(a) }> }"));
}

TEST_CASE("an unknown name in a body is reported with the nodes around it") {
  const Error error = error_of_graph(
      "g (bool c, float a) => (float y) {"
      "  y = If (c) <then_branch = t () => (float p) { p = Identity(b) },"
      "              else_branch = e () => (float q) { q = Identity(a) }> }");
  CHECK(error.message().starts_with("nothing defines \"b\""));
  REQUIRE(error.frames().size() == 2);
  CHECK(error.frames()[0] == "Identity \"p\" (node 0, ONNX Identity, opset 13)");
  CHECK(error.frames()[1] == "If \"y\" (node 0, ONNX If, opset 13)");
}

TEST_CASE("bodies nested 100 deep reach a limit") {
  const Error error = error_of_graph(chain_of_ifs(100));
  CHECK(error.kind() == ErrorKind::limit);
  CHECK(error.message() == "bodies nest deeper than 32 (Limits::nesting)");
}

}  // namespace strata::testing
