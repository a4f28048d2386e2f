#include "bulk_data.h"

#include <fstream>
#include <numeric>

#include "model_text.h"
#include "strata/core/session.h"

namespace strata::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCount = onnx::kBulkBytes / sizeof(float);

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

std::optional<std::string> slim(std::string_view bytes) {
  auto slim = onnx::without_bulk_data(std::as_bytes(std::span(bytes)));
  return slim ? std::optional(std::move(slim->bytes)) : std::nullopt;
}
std::optional<std::string> slim(const ::onnx::ModelProto& model) {
  return slim(model.SerializeAsString());
}

/// Loads a model from a file that is gone afterwards.
hir::InferenceModel load_file(std::string_view bytes) {
  const fs::path path = fs::temp_directory_path() / "strata_bulk_data_test.onnx";
  std::ofstream(path, std::ios::binary) << bytes;
  hir::InferenceModel loaded = onnx::load(path);
  fs::remove(path);
  return loaded;
}
hir::InferenceModel load_file(const ::onnx::ModelProto& model) {
  return load_file(model.SerializeAsString());
}

/// `content`, and its length before it.
std::string with_length(const std::string& content) {
  std::string out;
  std::size_t n = content.size();
  for (; n >= 128; n /= 128) out += static_cast<char>(n % 128 + 128);
  return out + static_cast<char>(n) + content;
}

/// A serialised model with one initializer, of these bytes.
std::string model_with_initializer(const std::string& tensor) {
  return "\x3a" + with_length("\x2a" + with_length(tensor));
}

const Tensor& constant_of(const hir::InferenceModel& model, std::uint32_t node) {
  return model.fact({node, 0}).value->tensor();
}

}  // namespace

TEST_CASE("large raw data is left out, and its tensor says where it lies") {
  const ::onnx::ModelProto model = sum_model(kCount);
  const std::string bytes = model.SerializeAsString();
  const auto rest = slim(model);
  REQUIRE(rest.has_value());
  CHECK(rest->size() < 200);
  ::onnx::ModelProto parsed;
  REQUIRE(parsed.ParseFromString(*rest));
  const ::onnx::TensorProto& tensor = parsed.graph().initializer(0);
  CHECK(!tensor.has_raw_data());
  CHECK(tensor.name() == "a");
  const auto begin = static_cast<std::size_t>(tensor.segment().begin());
  CHECK(bytes.substr(begin, static_cast<std::size_t>(tensor.segment().end()) - begin) ==
        floats(kCount, 1));
  CHECK(parsed.graph().node(0).op_type() == "Add");
  CHECK(parsed.opset_import(0).version() == 13);
}

TEST_CASE("a file without large raw data stays as it is") {
  CHECK(!slim(sum_model(kCount - 1)).has_value());
}

TEST_CASE("a file that cannot be taken apart for certain stays as it is") {
  const auto tensor_of = [](::onnx::ModelProto& model) {
    return model.mutable_graph()->mutable_initializer(0);
  };
  ::onnx::ModelProto own_segment = sum_model(kCount);
  tensor_of(own_segment)->mutable_segment()->set_begin(1);
  CHECK(!slim(own_segment).has_value());

  const std::string whole = sum_model(kCount).SerializeAsString();
  CHECK(slim(whole).has_value());
  CHECK(!slim(whole.substr(0, whole.size() - 1)).has_value());
  CHECK(!slim(whole + '\x0b').has_value());  // a group begins
  CHECK(!slim(whole + "\x12\x05"
                      "a")
             .has_value());  // five bytes are promised
}

TEST_CASE("a tensor with raw data twice is parsed as it is") {
  ::onnx::TensorProto tensor;
  fill(tensor, "a", kCount, 1);
  std::string twice = tensor.SerializeAsString();
  ::onnx::TensorProto more;
  more.set_raw_data(floats(kCount, 2));
  twice += more.SerializeAsString();
  const std::string model = model_with_initializer(twice);
  ::onnx::ModelProto parsed;
  REQUIRE(parsed.ParseFromString(model));
  REQUIRE(parsed.graph().initializer(0).raw_data() == floats(kCount, 2));
  CHECK(!slim(model).has_value());
}

TEST_CASE("a segment is not hidden by a tag of more than 32 bits") {
  ::onnx::TensorProto tensor;
  fill(tensor, "b", kCount, 1);
  const std::string segment("\x08\x00\x10\x7f", 4);
  // Bit 32 is set in the tag, which the parser ignores.
  const std::string hostile =
      tensor.SerializeAsString() + "\x9a\x80\x80\x80\x10" + with_length(segment);
  const std::string model = sum_model(kCount).SerializeAsString() + model_with_initializer(hostile);
  ::onnx::ModelProto parsed;
  REQUIRE(parsed.ParseFromString(model));
  REQUIRE(parsed.graph().initializer(1).segment().end() == 127);
  CHECK(!slim(model).has_value());
}

TEST_CASE("a small tensor's own segment is refused though others' large data is left out") {
  ::onnx::ModelProto model = sum_model(kCount);
  ::onnx::TensorProto& small = *model.mutable_graph()->add_initializer();
  fill(small, "b", 1, 1);
  small.mutable_segment()->set_end(4);
  REQUIRE(slim(model).has_value());
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
  static_assert(kCount == 1024);
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
  const auto rest = slim(model);
  REQUIRE(rest.has_value());
  CHECK(rest->size() < 1000);
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
  const auto rest = slim(model);
  REQUIRE(rest.has_value());
  CHECK(rest->size() < 200);
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
