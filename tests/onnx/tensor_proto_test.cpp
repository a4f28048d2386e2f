#include <cmath>
#include <complex>
#include <fstream>
#include <functional>

#include "model_text.h"
#include "strata/onnx/registry.h"
#include "support/scratch_folder.h"

namespace strata::testing {
namespace {

namespace fs = std::filesystem;
using ::onnx::TensorProto;

/// A model whose one output is the tensor.
::onnx::ModelProto model_with(const TensorProto& tensor) {
  auto model = model_of_graph("g () => (float w) { }");
  model.mutable_graph()->mutable_output(0)->clear_type();
  auto& initializer = *model.mutable_graph()->add_initializer();
  initializer = tensor;
  initializer.set_name("w");
  return model;
}

Tensor constant_of(const hir::InferenceModel& model) {
  const auto& fact = model.fact(model.outputs()[0].outlet);
  REQUIRE(fact.value);
  return fact.value->tensor();
}

Tensor tensor_of(const TensorProto& tensor) { return constant_of(load_proto(model_with(tensor))); }
Error error_of_tensor(const TensorProto& tensor) { return error_of_model(model_with(tensor)); }

TensorProto proto_of(int type, std::initializer_list<std::int64_t> dims,
                     std::string_view raw = {}) {
  TensorProto proto;
  proto.set_data_type(type);
  for (const auto dim : dims) proto.add_dims(dim);
  if (raw.data()) proto.set_raw_data(std::string(raw));
  return proto;
}

TensorProto with_int32_data(int type, std::initializer_list<std::int64_t> dims,
                            std::initializer_list<int> data) {
  TensorProto proto = proto_of(type, dims);
  for (const int value : data) proto.add_int32_data(value);
  return proto;
}

std::vector<int> bytes_of(const Tensor& tensor) {
  std::vector<int> out;
  for (const std::byte b : tensor.bytes()) out.push_back(std::to_integer<int>(b));
  return out;
}

using Bytes = std::vector<int>;
using namespace std::string_view_literals;

/// A folder with `weights.bin` of 64 bytes 0, 1, 2, … in it.
class ModelFolder {
 public:
  ModelFolder() {
    fs::create_directory(inside());
    std::ofstream out(inside() / "weights.bin", std::ios::binary);
    for (int i = 0; i < 64; ++i) out.put(static_cast<char>(i));
  }
  fs::path root() const { return folder_.path(); }
  fs::path inside() const { return folder_ / "inside"; }

 private:
  tests::ScratchFolder folder_;
};

::onnx::ModelProto external_model(const std::string& location, std::string_view offset = {},
                                  std::string_view length = {}) {
  TensorProto proto = proto_of(TensorProto::UINT8, {4});
  proto.set_data_location(TensorProto::EXTERNAL);
  const auto add = [&](const char* key, std::string_view value) {
    if (value.empty()) return;
    auto& entry = *proto.add_external_data();
    entry.set_key(key);
    entry.set_value(std::string(value));
  };
  add("location", location);
  add("offset", offset);
  add("length", length);
  return model_with(proto);
}

hir::InferenceModel load_in(const fs::path& folder, const ::onnx::ModelProto& model) {
  const std::string bytes = model.SerializeAsString();
  return onnx::load(std::as_bytes(std::span(bytes)), folder);
}
Error error_in(const fs::path& folder, const ::onnx::ModelProto& model) {
  return error_of([&] { load_in(folder, model); });
}

}  // namespace

TEST_CASE("raw data is little-endian, whatever the type") {
  CHECK(tensor_of(proto_of(TensorProto::FLOAT, {2}, "\0\0\x80\x3f\0\0\0\xc0"sv)) ==
        Tensor::of<float>({2}, {1, -2}));
  CHECK(tensor_of(proto_of(TensorProto::INT64, {}, "\xff\xff\xff\xff\xff\xff\xff\xff"sv)) ==
        Tensor::scalar<std::int64_t>(-1));
  CHECK(tensor_of(proto_of(TensorProto::UINT16, {1}, "\x01\x02"sv)) ==
        Tensor::of<std::uint16_t>({1}, {0x0201}));
}

TEST_CASE("typed fields hold the elements of their types") {
  TensorProto proto = proto_of(TensorProto::FLOAT, {1, 2});
  proto.add_float_data(1.5f);
  proto.add_float_data(-2);
  CHECK(tensor_of(proto) == Tensor::of<float>({1, 2}, {1.5f, -2}));

  proto = proto_of(TensorProto::DOUBLE, {1});
  proto.add_double_data(0.1);
  CHECK(tensor_of(proto) == Tensor::of<double>({1}, {0.1}));

  proto = proto_of(TensorProto::UINT32, {1});
  proto.add_uint64_data(4294967295u);
  CHECK(tensor_of(proto) == Tensor::of<std::uint32_t>({1}, {4294967295u}));

  proto = proto_of(TensorProto::STRING, {2});
  proto.add_string_data("a");
  proto.add_string_data("");
  CHECK(tensor_of(proto) == Tensor::of<std::string>({2}, {std::string("a"), std::string()}));

  proto = proto_of(TensorProto::COMPLEX64, {1});
  proto.add_float_data(1);
  proto.add_float_data(2);
  CHECK(tensor_of(proto) == Tensor::of<std::complex<float>>({1}, {std::complex<float>(1, 2)}));
}

TEST_CASE("int32_data holds small types by value or by their bits") {
  CHECK(tensor_of(with_int32_data(TensorProto::INT8, {2}, {-3, 7})) ==
        Tensor::of<std::int8_t>({2}, {-3, 7}));
  CHECK(tensor_of(with_int32_data(TensorProto::UINT16, {1}, {65535})) ==
        Tensor::of<std::uint16_t>({1}, {65535}));
  CHECK(bytes_of(tensor_of(with_int32_data(TensorProto::BOOL, {3}, {1, 0, 2}))) == Bytes{1, 0, 1});
  CHECK(bytes_of(tensor_of(with_int32_data(TensorProto::FLOAT16, {1}, {0x3c00}))) ==
        Bytes{0x00, 0x3c});
}

TEST_CASE("packed types keep two or four elements in a byte, and nothing after the last") {
  const int u4 = onnx::onnx_data_type(DatumType::u4), i2 = onnx::onnx_data_type(DatumType::i2);
  CHECK(u4 == 21);
  CHECK(i2 == 26);
  CHECK(bytes_of(tensor_of(proto_of(u4, {3}, "\x21\xf3"sv))) == Bytes{0x21, 0x03});
  CHECK(bytes_of(tensor_of(with_int32_data(u4, {3}, {0x21, 0x03}))) == Bytes{0x21, 0x03});
  CHECK(bytes_of(tensor_of(proto_of(i2, {5}, "\xe4\xff"sv))) == Bytes{0xe4, 0x03});
}

TEST_CASE("a bool that is neither 0 nor 1 counts as true") {
  CHECK(bytes_of(tensor_of(proto_of(TensorProto::BOOL, {2}, "\x02\0"sv))) == Bytes{1, 0});
}

TEST_CASE("a tensor without elements needs no data") {
  CHECK(tensor_of(proto_of(TensorProto::FLOAT, {0, 3})).shape() == Shape{0, 3});
}

TEST_CASE("large raw data arrives whole") {
  std::string raw(8192, '\0');
  raw[8188] = '\x01';
  const Tensor tensor = tensor_of(proto_of(TensorProto::INT32, {2048}, raw));
  CHECK(tensor.as<std::int32_t>()[2047] == 1);
}

TEST_CASE("data that does not fit type and shape is refused") {
  const Error raw = error_of_tensor(proto_of(TensorProto::FLOAT, {2}, "\0\0\0"sv));
  CHECK(raw.kind() == ErrorKind::invalid_model);
  CHECK(raw.message() == "raw_data has 3 bytes, f32[2] takes 8");
  CHECK(raw.frames() == std::vector<std::string>{"tensor \"w\""});
  CHECK(error_of_tensor(with_int32_data(TensorProto::INT32, {2}, {1})).message() ==
        "int32_data has 1 entries, i32[2] takes 2");
  CHECK(error_of_tensor(proto_of(TensorProto::FLOAT, {1})).message() ==
        "float_data has 0 entries, f32[1] takes 1");
  CHECK(error_of_tensor(proto_of(99, {1})).message() == "data type 99 is not one of ONNX");
  CHECK(error_of_tensor(proto_of(TensorProto::STRING, {1}, "a")).message() ==
        "strings cannot be raw data");
}

TEST_CASE("shapes that are negative or overflow are refused before memory is taken") {
  CHECK(error_of_tensor(proto_of(TensorProto::FLOAT, {2, -1})).message() ==
        "shape [2,-1] has a negative size");
  CHECK(error_of_tensor(proto_of(TensorProto::FLOAT, {INT64_MAX, 4}, "")).kind() ==
        ErrorKind::invalid_model);
  CHECK(error_of_tensor(proto_of(TensorProto::DOUBLE, {INT64_MAX}, "")).kind() ==
        ErrorKind::invalid_model);
  CHECK(error_of_tensor(proto_of(TensorProto::FLOAT, {std::int64_t{1} << 40})).kind() ==
        ErrorKind::invalid_model);
}

TEST_CASE("a sparse tensor becomes dense, by flat index or by one index an axis") {
  auto model = model_of_graph("g () => (float w) { }");
  model.mutable_graph()->mutable_output(0)->clear_type();
  auto& sparse = *model.mutable_graph()->add_sparse_initializer();
  sparse.add_dims(2);
  sparse.add_dims(3);
  *sparse.mutable_values() = proto_of(TensorProto::FLOAT, {2});
  sparse.mutable_values()->set_name("w");
  sparse.mutable_values()->add_float_data(5);
  sparse.mutable_values()->add_float_data(7);
  *sparse.mutable_indices() = proto_of(TensorProto::INT64, {2});
  for (const int i : {1, 5}) sparse.mutable_indices()->add_int64_data(i);
  const Tensor expected = Tensor::of<float>({2, 3}, {0, 5, 0, 0, 0, 7});
  CHECK(constant_of(load_proto(model)) == expected);

  *sparse.mutable_indices() = proto_of(TensorProto::INT64, {2, 2});
  for (const int i : {0, 1, 1, 2}) sparse.mutable_indices()->add_int64_data(i);
  CHECK(constant_of(load_proto(model)) == expected);

  sparse.mutable_indices()->set_int64_data(3, 3);
  CHECK(error_of_model(model).message() ==
        "index 3 of a sparse tensor is outside axis 1 of shape [2,3]");
}

TEST_CASE("external data is read from the model's folder at its offset") {
  const ModelFolder folder;
  CHECK(bytes_of(constant_of(load_in(folder.inside(), external_model("weights.bin")))) ==
        Bytes{0, 1, 2, 3});
  CHECK(bytes_of(constant_of(load_in(folder.inside(), external_model("weights.bin", "8", "4")))) ==
        Bytes{8, 9, 10, 11});
  CHECK(bytes_of(constant_of(load_in(folder.root(), external_model("inside/weights.bin", "60")))) ==
        Bytes{60, 61, 62, 63});
  for (const char* const location : {"inside/../inside/weights.bin", "none/../inside/weights.bin"})
    CHECK(bytes_of(constant_of(load_in(folder.root(), external_model(location)))) ==
          Bytes{0, 1, 2, 3});
}

TEST_CASE("external data outside the model's folder is refused, by path and by link") {
  const ModelFolder folder;
  std::ofstream(folder.root() / "secret.bin") << "0123456789";
  fs::create_symlink(folder.root() / "secret.bin", folder.inside() / "link.bin");
  for (const char* const location : {"../secret.bin", "none/../../secret.bin"}) {
    const Error up = error_in(folder.inside(), external_model(location));
    CHECK(up.kind() == ErrorKind::invalid_model);
    CHECK(up.message() ==
          cat("external file ", in_quotes(location), " is outside the model's folder"));
  }
  const std::string absolute = (folder.root() / "secret.bin").string();
  CHECK(error_in(folder.inside(), external_model(absolute)).kind() == ErrorKind::invalid_model);
  CHECK(error_in(folder.inside(), external_model("link.bin")).message() ==
        "external file \"link.bin\" is a link out of the model's folder");
}

TEST_CASE("a model that is a link may have its data where it leads") {
  const tests::ScratchFolder folder;  // as a cache keeps files by their content
  fs::create_directories(folder / "blobs");
  fs::create_directories(folder / "snapshot");
  std::ofstream(folder / "blobs/3b1f") << external_model("weights.bin").SerializeAsString();
  std::ofstream(folder / "blobs/c0de") << "0123";
  std::ofstream(folder / "secret.bin") << "0123456789";
  fs::create_symlink("../blobs/3b1f", folder / "snapshot/model.onnx");
  fs::create_symlink("../blobs/c0de", folder / "snapshot/weights.bin");
  CHECK(bytes_of(constant_of(onnx::load(folder / "snapshot/model.onnx"))) ==
        Bytes{'0', '1', '2', '3'});
  fs::remove(folder / "snapshot/weights.bin");
  fs::create_symlink("../secret.bin", folder / "snapshot/weights.bin");
  const Error error = error_of([&] { (void)onnx::load(folder / "snapshot/model.onnx"); });
  CHECK(error.message() == "external file \"weights.bin\" is a link out of the model's folder");
}

TEST_CASE("external data that is missing, too short, or of another length") {
  const ModelFolder folder;
  CHECK(error_in(folder.inside(), external_model("none.bin")).kind() == ErrorKind::file);
  CHECK(error_in(folder.inside(), external_model("weights.bin", "62")).message() ==
        "external file \"weights.bin\" has 64 bytes, the tensor takes 4 from 62 on");
  CHECK(error_in(folder.inside(), external_model("weights.bin", "18446744073709551615")).kind() ==
        ErrorKind::invalid_model);
  CHECK(error_in(folder.inside(), external_model("weights.bin", "-1")).message() ==
        "external data: offset \"-1\" is not a number of bytes");
  CHECK(error_in(folder.inside(), external_model("weights.bin", "0", "5")).message() ==
        "external data has 5 bytes, type and shape take 4");
  CHECK(error_in(folder.inside(), external_model("")).message() == "external data names no file");
  CHECK(error_in({}, external_model("weights.bin")).kind() == ErrorKind::file);
}

}  // namespace strata::testing
