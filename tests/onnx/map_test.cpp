#include "model_text.h"
#include "strata/core/session.h"

namespace strata::testing {
namespace {

/// One node of ai.onnx.ml from x to y.
::onnx::ModelProto ml_model(const std::string& node) {
  return model_of(
      cat("<ir_version: 8, opset_import: [\"\" : 13, \"ai.onnx.ml\" : 1]> "
          "g (float[N,2] x) => (float y) { ",
          node, " }"));
}

void set_map(::onnx::TypeProto& type, int key, int value) {
  type.mutable_map_type()->set_key_type(key);
  type.mutable_map_type()->mutable_value_type()->mutable_tensor_type()->set_elem_type(value);
}

ValueList run(const ::onnx::ModelProto& proto, const ValueList& inputs) {
  hir::InferenceModel model = load_proto(proto);
  model.analyse();
  return run_model(model.to_typed(), inputs);
}

}  // namespace

TEST_CASE("an output of maps becomes two, keys and values") {
  auto proto = ml_model("y = ai.onnx.ml.ZipMap<classlabels_strings = [\"a\", \"b\"]>(x)");
  auto& type = *proto.mutable_graph()->mutable_output(0)->mutable_type();
  set_map(*type.mutable_sequence_type()->mutable_elem_type(), ::onnx::TensorProto::STRING,
          ::onnx::TensorProto::FLOAT);
  const auto model = load_proto(proto);
  REQUIRE(model.outputs().size() == 2);
  CHECK(model.outputs()[0].name == "y.keys");
  CHECK(model.outputs()[1].name == "y.values");
  const Value rows = Tensor::of<float>({1, 2}, {3, 4});
  const ValueList out = run(proto, {rows});
  CHECK(out[0] == Value(Tensor::of<std::string>({2}, {"a", "b"})));
  CHECK(out[1] == rows);
}

TEST_CASE("an input that is a map becomes two") {
  auto proto = ml_model("y = ai.onnx.ml.DictVectorizer<int64_vocabulary = [5, 3]>(x)");
  set_map(*proto.mutable_graph()->mutable_input(0)->mutable_type(), ::onnx::TensorProto::INT64,
          ::onnx::TensorProto::FLOAT);
  proto.mutable_graph()->mutable_output(0)->mutable_type()->clear_tensor_type();
  const auto model = load_proto(proto);
  CHECK(model.input_name(0) == "x.keys");
  CHECK(model.input_name(1) == "x.values");
  const ValueList map{Tensor::of<std::int64_t>({1}, {3}), Tensor::of<float>({1}, {2.5})};
  CHECK(run(proto, map)[0] == Value(Tensor::of<float>({2}, {0, 2.5})));
}

TEST_CASE("a map where a tensor is needed, and the other way round") {
  auto proto =
      ml_model("m = ai.onnx.ml.ZipMap<classlabels_strings = [\"a\", \"b\"]>(x) y = Identity(m)");
  CHECK(error_of_model(proto).message() == "\"m\" is a map");
  CHECK(error_of_model(ml_model("y = ai.onnx.ml.CastMap(x)")).message() == "\"x\" is no map");
}

}  // namespace strata::testing
