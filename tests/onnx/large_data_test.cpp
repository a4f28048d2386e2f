#include <numeric>

#include "model_text.h"
#include "strata/core/session.h"
#include "support/scratch_folder.h"

namespace strata::testing {
namespace {

/// As many floats as are left in their file.
constexpr std::size_t kCount = 1024;

std::string floats(std::size_t count, float first) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return {reinterpret_cast<const char*>(values.data()), count * sizeof(float)};
}

void fill(::onnx::TensorProto& tensor, const std::string& name, std::size_t count, float first) {
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::FLOAT);
  tensor.add_dims(static_cast<std::int64_t>(count));
  tensor.set_raw_data(floats(count, first));
}

/// y = x + a, with `count` elements.
::onnx::ModelProto sum_model(std::size_t count) {
  ::onnx::ModelProto model =
      model_of_graph(cat("g (float[", count, "] x) => (float[", count, "] y) { y = Add(x, a) }"));
  fill(*model.mutable_graph()->add_initializer(), "a", count, 1);
  return model;
}

/// Loads a model from a file that is gone afterwards.
hir::InferenceModel load_file(const ::onnx::ModelProto& model) {
  const tests::ScratchFolder folder;
  return onnx::load(folder.write("model.onnx", model.SerializeAsString()));
}

const Tensor& constant_of(const hir::InferenceModel& model, std::uint32_t node) {
  return model.fact({node, 0}).value->tensor();
}

}  // namespace

TEST_CASE("a tensor in segments is refused") {
  ::onnx::ModelProto model = sum_model(kCount);
  model.mutable_graph()->mutable_initializer(0)->mutable_segment()->set_end(4);
  const Error error = error_of([&] { load_file(model); });
  CHECK(error.kind() == ErrorKind::unsupported);
  CHECK(error.message() == "tensors stored in segments are not supported");
}

TEST_CASE("a file's large tensors hold what it says, wherever they lie in it") {
  for (std::size_t shift = 0; shift < 4; ++shift) {  // of the bytes before the data
    CAPTURE(shift);
    ::onnx::ModelProto model = sum_model(kCount);
    model.set_producer_name(std::string(shift, 'p'));
    const hir::InferenceModel loaded = load_file(model);
    const std::uint32_t a = loaded.node(loaded.outputs()[0].outlet.node).inputs[1].node;
    const Tensor& tensor = constant_of(loaded, a);
    REQUIRE(tensor.size() == static_cast<std::int64_t>(kCount));
    CHECK(tensor.as<float>()[0] == 1);
    CHECK(tensor.as<float>()[kCount - 1] == static_cast<float>(kCount));
  }
}

TEST_CASE("large raw data is found in attributes, bodies and functions") {
  ::onnx::ModelProto model = model_of(R"(
    <ir_version: 8, opset_import: ["" : 17, "f" : 1]>
    g (bool c, float[1024] x) => (float[1024] y) {
      k = Constant()
      s = Add(x, k)
      t = If(c) <
        then_branch = then () => (float[1024] u) { u = Add(s, inner) },
        else_branch = otherwise () => (float[1024] v) { v = Identity(s) }
      >
      y = f.shifted(t)
    }
    <opset_import: ["" : 17], domain: "f">
    shifted (p) => (q) { d = Constant() q = Add(p, d) })");
  const auto add_value = [](::onnx::NodeProto& node, float first) {
    ::onnx::AttributeProto& value = *node.add_attribute();
    value.set_name("value");
    value.set_type(::onnx::AttributeProto::TENSOR);
    fill(*value.mutable_t(), "", kCount, first);
  };
  ::onnx::GraphProto& graph = *model.mutable_graph();
  add_value(*graph.mutable_node(0), 10);
  add_value(*model.mutable_functions(0)->mutable_node(0), 30);
  for (::onnx::AttributeProto& branch : *graph.mutable_node(2)->mutable_attribute())
    if (branch.name() == "then_branch")
      fill(*branch.mutable_g()->add_initializer(), "inner", kCount, 20);
  const auto texts = [](hir::InferenceModel loaded) {
    loaded.analyse();
    const TypedModel typed = loaded.to_typed();
    ValueList inputs{Tensor::scalar(true), MutableTensor::zeros(DatumType::f32, {1024}).freeze()};
    return run_model(typed, inputs)[0].tensor();
  };
  const Tensor from_file = texts(load_file(model));
  CHECK(from_file.as<float>()[0] == 60);
  CHECK(from_file.as<float>()[2] == 66);
  CHECK(from_file == texts(load_proto(model)));
}

TEST_CASE("large raw data is found in sparse initializers") {
  ::onnx::ModelProto model =
      model_of_graph("g (float[2048] x) => (float[2048] y) { y = Add(x, a) }");
  ::onnx::SparseTensorProto& sparse = *model.mutable_graph()->add_sparse_initializer();
  fill(*sparse.mutable_values(), "a", kCount, 1);
  sparse.add_dims(2048);
  std::vector<std::int64_t> places(kCount);
  for (std::size_t i = 0; i < kCount; ++i) places[i] = static_cast<std::int64_t>(2 * i + 1);
  ::onnx::TensorProto& indices = *sparse.mutable_indices();
  indices.set_data_type(::onnx::TensorProto::INT64);
  indices.add_dims(static_cast<std::int64_t>(kCount));
  indices.set_raw_data(places.data(), places.size() * sizeof(std::int64_t));
  const hir::InferenceModel loaded = load_file(model);
  const std::uint32_t a = loaded.node(loaded.outputs()[0].outlet.node).inputs[1].node;
  const auto elements = constant_of(loaded, a).as<float>();
  REQUIRE(elements.size() == 2048);
  CHECK(elements[0] == 0);
  CHECK(elements[1] == 1);
  CHECK(elements[2046] == 0);
  CHECK(elements[2047] == 1024);
}

TEST_CASE("raw data of the wrong size is refused wherever it lies") {
  ::onnx::ModelProto model = sum_model(kCount);
  model.mutable_graph()->mutable_initializer(0)->set_dims(0, kCount + 1);
  const Error error = error_of([&] { load_file(model); });
  CHECK(error.kind() == ErrorKind::invalid_model);
  CHECK(error.message() == "raw_data has 4096 bytes, f32[1025] takes 4100");
}

TEST_CASE("strings cannot be large raw data") {
  ::onnx::ModelProto model = sum_model(kCount);
  model.mutable_graph()->mutable_initializer(0)->set_data_type(::onnx::TensorProto::STRING);
  CHECK(error_of([&] { load_file(model); }).message() == "strings cannot be raw data");
}

}  // namespace strata::testing
