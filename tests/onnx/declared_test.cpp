#include "model_text.h"

namespace strata::testing {
namespace {

/// The error that analysing the graph ends with.
Error refusal(const std::string& graph) {
  auto model = load_graph(graph);
  return error_of([&] { model.analyse(); });
}

/// The graph with this declared of its value `name`.
::onnx::ModelProto with_value(const std::string& graph, const std::string& name, int type,
                              const std::vector<std::int64_t>& sizes) {
  auto model = model_of_graph(graph);
  auto& value = *model.mutable_graph()->add_value_info();
  value.set_name(name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  for (const std::int64_t size : sizes) tensor.mutable_shape()->add_dim()->set_dim_value(size);
  return model;
}

using Frames = std::vector<std::string>;
constexpr int kFloat = ::onnx::TensorProto::FLOAT, kInt64 = ::onnx::TensorProto::INT64;
const std::string kChain = "g (float[2,3] x) => (float[2,3] y) { z = Neg(x) y = Relu(z) }";

std::string loop_of(const std::string& inputs, const std::string& outputs) {
  return cat(
      "g (int64 n, float[2,3] x) => (float[2,3] y, float[k,2,3] s) { y, s = Loop(n, , x) <body = b "
      "(",
      inputs, ") => (", outputs, ") { c2 = Identity(c) w = Relu(v) e = Neg(v) }> }");
}

}  // namespace

TEST_CASE("an output that is declared otherwise than inferred is an error with both") {
  struct Case {
    std::string graph, message, node;
  };
  const Case cases[] = {
      {"g (float[2,3] x) => (float[2,4] y) { y = Relu(x) }",
       "output \"y\" is declared f32[2,4], inferred is f32[2,3]: size 4 is not 3", "Relu"},
      {"g (float[2,3] x) => (float[6] y) { y = Relu(x) }",
       "output \"y\" is declared f32[6], inferred is f32[2,3]: rank 1 is not 2", "Relu"},
      {"g (float[2,3] x) => (int64[2,3] y) { y = Relu(x) }",
       "output \"y\" is declared i64[2,3], inferred is f32[2,3]: element types differ", "Relu"},
      {"g (float[N,3] x) => (float[N,4] y) { y = Relu(x) }",
       "output \"y\" is declared f32[N,4], inferred is f32[N,3]: size 4 is not 3", "Relu"},
      {"g (float[2,3] x) => (double[2,3] y) { y = Cast<to = 6>(x) }",
       "output \"y\" is declared f64[2,3], inferred is i32[2,3]: element types differ", "Cast"},
      {"g (float[2,3] x, float[3,5] w) => (float[2,4] y) { y = MatMul(x, w) }",
       "output \"y\" is declared f32[2,4], inferred is f32[2,5]: size 4 is not 5", "MatMul"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.graph);
    const Error error = refusal(each.graph);
    CHECK(error.kind() == ErrorKind::invalid_model);
    CHECK(error.message() == each.message);
    CHECK(error.frames() ==
          Frames{cat(each.node, " \"y\" (node 0, ONNX ", each.node, ", opset 13)")});
  }
}

TEST_CASE("what is declared of outputs' sizes can be forgotten, their element types cannot") {
  for (const char* const graph : {"g (float[2,3] x) => (float[6] y) { y = Relu(x) }",
                                  "g (float[2,3] x) => (float[6] y, float[2] y2) { y = Relu(x) "
                                  "y2 = Identity(y) }"}) {
    CAPTURE(graph);
    auto model = load_graph(graph);
    model.forget_output_shapes();
    model.analyse();
    CHECK(model.to_typed().output_fact(0).to_string() == "f32[2,3]");
  }
  const std::string in_body =
      loop_of("int64 i, bool c, float[2,3] v", "bool c2, float[2,3] w, float[6] e");
  CHECK(refusal(in_body).message() ==
        "output \"e\" is declared f32[6], inferred is f32[2,3]: rank 1 is not 2");
  auto loop = load_graph(in_body);
  loop.forget_output_shapes();
  loop.analyse();
  CHECK(loop.to_typed().output_fact(0).to_string() == "f32[2,3]");
  auto model = load_graph("g (float[2,3] x) => (int64[6] y) { y = Relu(x) }");
  model.forget_output_shapes();
  CHECK(error_of([&] { model.analyse(); }).message() ==
        "output \"y\" is declared i64[..], inferred is f32[2,3]: element types differ");
}

TEST_CASE("what agrees with what is declared, or is only less known, is no error") {
  for (const char* graph : {"g (float[2,3] x) => (float[2,3] y) { y = Relu(x) }",
                            "g (float[N,3] x) => (float[4,3] y) { y = Relu(x) }",
                            "g (float[2,3] x) => (float[M,3] y) { y = Relu(x) }"}) {
    auto model = load_graph(graph);
    model.analyse();
    CHECK(model.to_typed().outputs().size() == 1);
  }
}

TEST_CASE("what is declared of an output tells of what it is made from") {
  auto model = load_graph("g (float[N,M] x) => (float[4,3] y) { z = Neg(x) y = Relu(z) }");
  model.analyse();
  CHECK(model.fact(model.inputs()[0]).to_string() == "f32[4,3]");
}

TEST_CASE("the element type that is declared of an inner value is checked, its shape is not") {
  auto model = load_proto(with_value(kChain, "z", kInt64, {2, 3}));
  const Error error = error_of([&] { model.analyse(); });
  CHECK(error.message() ==
        "value \"z\" is declared i64[..], inferred is f32[2,3]: element types differ");
  CHECK(error.frames() == Frames{"Neg \"z\" (node 0, ONNX Neg, opset 13)"});
  auto typed = load_proto(with_value(kChain, "z", kInt64, {2, 3}));
  CHECK(error_of([&] { typed.to_typed(); }).message() == error.message());
  for (const std::int64_t size : {3, 7}) {
    auto right = load_proto(with_value(kChain, "z", kFloat, {2, size}));
    CHECK_NOTHROW(right.analyse());
  }
  CHECK_NOTHROW(load_proto(with_value(kChain, "nobody", kInt64, {1})).analyse());
}

TEST_CASE("what is declared of an input again, or of a constant, is checked while it is loaded") {
  const Error input = error_of_model(with_value(kChain, "x", kInt64, {2, 3}));
  CHECK(input.message() ==
        "value \"x\" is declared i64[..], inferred is f32[2,3]: element types differ");
  CHECK(input.frames() == Frames{"value \"x\""});
  const Error constant = error_of_graph("g () => (float[3] w) <float[2] w = {1, 2}> { }");
  CHECK(constant.message() ==
        "output \"w\" is declared f32[3], inferred is f32[2]: size 3 is not 2");
}

/// `y` is either of two branches on `x`, which declare their outputs to be of these types.
static std::string branches(const std::string& condition, const std::string& first,
                            const std::string& second) {
  return cat("g (bool c, float[2,3] x) => (float[2,3] y) <bool yes = {1}> { y = If(", condition,
             ") <then_branch = t () => (", first, " u) { u = Relu(x) }, else_branch = e () => (",
             second, " v) { v = Neg(x) }> }");
}

TEST_CASE("an output of a branch that is always taken") {
  const Error error = refusal(branches("yes", "float[2,9]", "float[2,3]"));
  CHECK(error.message() ==
        "output \"u\" is declared f32[2,9], inferred is f32[2,3]: size 9 is not 3");
  REQUIRE(error.frames().size() == 3);
  CHECK(error.frames()[0] == "Relu \"u\" (node 0, ONNX Relu, opset 13)");
  CHECK(error.frames()[1] == "then_branch, which is always taken");
}

TEST_CASE("a branch that may not be taken may be meant for other shapes, but not for other types") {
  auto model = load_graph(branches("c", "float[2,9]", "float[2,3]"));
  CHECK_NOTHROW(model.analyse());
  CHECK(refusal(branches("c", "float[2,3]", "int64[2,3]")).message() ==
        "output \"v\" is declared i64[2,3], inferred is f32[2,3]: element types differ");
}

TEST_CASE("inputs and outputs of a loop's body") {
  const std::string inputs = "int64 i, bool c, float[2,3] v";
  auto right = load_graph(loop_of(inputs, "bool c2, float[2,3] w, float[2,3] e"));
  CHECK_NOTHROW(right.analyse());
  CHECK(refusal(loop_of(inputs, "bool c2, float[2,9] w, float[2,3] e")).message() ==
        "output \"w\" is declared f32[2,9], inferred is f32[2,3]: size 9 is not 3");
  CHECK(refusal(loop_of(inputs, "bool c2, float[2,3] w, int64[2,3] e")).message() ==
        "output \"e\" is declared i64[2,3], inferred is f32[2,3]: element types differ");
  CHECK(refusal(loop_of("int64 i, bool c, double[2,3] v", "bool c2, float[2,3] w, float[2,3] e"))
            .message() ==
        "input \"v\" is declared f64[..], inferred is f32[2,3]: element types differ");
}

TEST_CASE("shapes of a body's inputs may be declared otherwise: they may change") {
  auto model =
      load_graph(loop_of("int64[1] i, bool c, float[7] v", "bool c2, float[N,3] w, float[2,3] e"));
  CHECK_NOTHROW(model.analyse());
}

TEST_CASE("an output of a scan's body") {
  const Error error = refusal(
      "g (float[2] s, float[4,2] x) => (float[2] f, float[4,2] y) { f, y = Scan<num_scan_inputs = "
      "1, body = b (float[2] a, float[2] d) => (float[2] t, float[5] e) { t = Add(a, d) e = "
      "Relu(t) }>(s, x) }");
  CHECK(error.message() == "output \"e\" is declared f32[5], inferred is f32[2]: size 5 is not 2");
}

TEST_CASE("two declarations that contradict each other name the equation") {
  const Error error = refusal(
      "g (float x, float[N,M] u) => (float[2,3] y, float[2,4] z) { y = Relu(u) z = Neg(u) }");
  CHECK(error.kind() == ErrorKind::invalid_model);
  CHECK(error.message() == "f32[2,4] contradicts ?[2,3]: size 4 is not 3");
  REQUIRE(error.frames().size() == 2);
  CHECK(error.frames()[0] == "rule outputs[0].shape == inputs[0].shape");
}

}  // namespace strata::testing
