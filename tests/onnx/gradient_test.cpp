#include "model_text.h"
#include "strata/core/session.h"

namespace strata::testing {
namespace {

::onnx::ModelProto training_model(const std::string& graph) {
  return model_of(
      cat("<ir_version: 8, opset_import: [\"\" : 13, \"ai.onnx.preview.training\" : 1]> ", graph));
}

ValueList run(const std::string& graph, const ValueList& inputs) {
  hir::InferenceModel model = load_proto(training_model(graph));
  model.analyse();
  return run_model(model.to_typed(), inputs);
}

Value number(float value) { return Tensor::scalar(value); }

}  // namespace

TEST_CASE("a gradient is that of the nodes between its xs and y, at its inputs") {
  // y = a * a * b at a = 5, b = 7; the graph itself runs at a = 1, b = 2.
  const ValueList out =
      run("g (float a, float b, float p, float q) => (float y, float da, float db) {"
          "  t = Mul(a, a) y = Mul(t, b)"
          "  da, db = ai.onnx.preview.training.Gradient<xs = [\"a\", \"b\"], y = \"y\">(p, q) }",
          {number(1), number(2), number(5), number(7)});
  CHECK(out[0] == number(2));
  CHECK(out[1] == number(70));
  CHECK(out[2] == number(25));
}

TEST_CASE("zs are given, but no derivative is taken by them; other names keep their values") {
  const ValueList out =
      run("g (float a, float b, float c, float p, float q) => (float y, float da) {"
          "  t = Mul(a, b) y = Mul(t, c)"
          "  da = ai.onnx.preview.training.Gradient<xs = [\"a\"], zs = [\"b\"], y = \"y\">(p, q) }",
          {number(1), number(2), number(3), number(5), number(7)});
  CHECK(out[1] == number(21));
}

TEST_CASE("a gradient by a tensor in the middle does not go further back") {
  const ValueList out =
      run("g (float a) => (float y, float dt) {"
          "  t = Mul(a, a) y = Mul(t, t)"
          "  dt = ai.onnx.preview.training.Gradient<xs = [\"t\"], y = \"y\">(t) }",
          {number(3)});
  CHECK(out[1] == number(18));
}

TEST_CASE("a gradient of a gradient") {
  const ValueList out =
      run("g (float a) => (float y, float da, float dda) {"
          "  t = Mul(a, a) y = Mul(t, a)"
          "  da = ai.onnx.preview.training.Gradient<xs = [\"a\"], y = \"y\">(a)"
          "  dda = ai.onnx.preview.training.Gradient<xs = [\"a\"], y = \"da\">(a) }",
          {number(2)});
  CHECK(out[1] == number(12));
  CHECK(out[2] == number(12));
}

TEST_CASE("a gradient of what nothing computes, or with too few inputs") {
  const auto error = [](const std::string& gradient) {
    return error_of_model(
        training_model(cat("g (float a) => (float d) { y = Mul(a, a) ", gradient, " }")));
  };
  CHECK(error("d = ai.onnx.preview.training.Gradient<xs = [\"a\"], y = \"z\">(a)").message() ==
        "nothing in the graph computes y, \"z\"");
  CHECK(
      error("d = ai.onnx.preview.training.Gradient<xs = [\"a\", \"y\"], y = \"y\">(a)").message() ==
      "xs and zs name 2 tensors, 1 are given");
}

}  // namespace strata::testing
