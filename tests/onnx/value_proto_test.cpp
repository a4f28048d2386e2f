#include <onnx/onnx-data_pb.h>

#include <fstream>

#include "model_text.h"
#include "support/scratch_folder.h"

namespace strata::testing {
namespace {

namespace fs = std::filesystem;

/// What comes back of a value that is written and read.
Value there_and_back(const Value& value) {
  const tests::ScratchFolder folder;
  onnx::write_value(folder / "v.pb", value, "v");
  return onnx::read_value(folder / "v.pb", value.type());
}

Value sequence_of(std::vector<Value> items) {
  return Sequence{ValueType::tensor(DatumType::f32), std::move(items)};
}

}  // namespace

TEST_CASE("a value that is written is read back as it was") {
  const Tensor numbers = Tensor::of<float>({2}, {1, 2});
  const Value sequence = sequence_of({numbers, Tensor::scalar<float>(3)});
  const std::vector<Value> values = {
      numbers,
      Tensor::of<std::string>({2}, {std::string("a"), std::string("\n")}),
      packed(Tensor::of<std::uint8_t>({3}, {1, 2, 3}), DatumType::u4),
      sequence,
      sequence_of({}),
      Optional{ValueType::tensor(DatumType::f32), std::make_shared<const Value>(numbers)},
      Optional{ValueType::tensor(DatumType::f32), nullptr},
      Optional{sequence.type(), std::make_shared<const Value>(sequence)},
  };
  for (const Value& value : values) CHECK(there_and_back(value) == value);
}

TEST_CASE("libonnx reads what is written") {
  const tests::ScratchFolder folder;
  onnx::write_value(folder / "v.pb", sequence_of({Tensor::of<float>({1, 2}, {1, -2})}), "v");
  ::onnx::SequenceProto read;
  std::ifstream in(folder / "v.pb", std::ios::binary);
  REQUIRE(read.ParseFromIstream(&in));
  CHECK(read.name() == "v");
  CHECK(read.elem_type() == ::onnx::SequenceProto::TENSOR);
  REQUIRE(read.tensor_values_size() == 1);
  const ::onnx::TensorProto& tensor = read.tensor_values(0);
  CHECK(tensor.data_type() == ::onnx::TensorProto::FLOAT);
  CHECK(std::vector<std::int64_t>(tensor.dims().begin(), tensor.dims().end()) ==
        std::vector<std::int64_t>{1, 2});
  CHECK(tensor.raw_data() == std::string("\0\0\x80\x3f\0\0\0\xc0", 8));
}

TEST_CASE("a damaged value file is an error of the file") {
  const tests::ScratchFolder folder;
  const fs::path path = folder.write("v.pb", "\x12\x7f");
  const Error error = error_of([&] { onnx::read_value(path, ValueType::tensor(DatumType::f32)); });
  CHECK(error.kind() == ErrorKind::file);
  CHECK(error.message() == "the file is truncated or damaged");
}

TEST_CASE("an empty file holds no tensor, but an optional without a value") {
  const tests::ScratchFolder folder;
  const fs::path path = folder.write("v.pb", "");
  const ValueType tensor = ValueType::tensor(DatumType::f32);
  const Error error = error_of([&] { onnx::read_value(path, tensor); });
  const Value absent = onnx::read_value(path, ValueType::optional(tensor));
  CHECK(error.kind() == ErrorKind::file);
  CHECK(error.message() == "the file is empty");
  CHECK(!absent.optional().value);
}

TEST_CASE("a value that cannot be written leaves no file") {
  const fs::path path = "no/such/folder/value.pb";
  const Error error = error_of([&] { onnx::write_value(path, Tensor::scalar<float>(1), "v"); });
  CHECK(error.kind() == ErrorKind::file);
  CHECK(error.message() == "cannot write \"no/such/folder/value.pb\": No such file or directory");
}

}  // namespace strata::testing
