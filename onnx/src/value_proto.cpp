#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

#include <fstream>

#include "mapped_file.h"
#include "message_reader.h"
#include "strata/core/error.h"
#include "strata/onnx/load.h"
#include "strata/onnx/registry.h"
#include "tensor_proto.h"

namespace strata::onnx {
namespace {

using Kind = ValueType::Kind;

Value checked(Value value, const ValueType& type) {
  check(value.type() == type, "an item is ", value.type(), ", not ", type);
  return value;
}

Optional optional_of(const OptionalProto& proto, const ValueType& element, TensorReader& tensors);

/// Throws: invalid_model when an item is not of type `element`; unsupported for maps.
Sequence sequence_of(const SequenceProto& proto, const ValueType& element, TensorReader& tensors) {
  require(proto.map_values.empty(), ErrorKind::unsupported, "maps are not supported");
  Sequence out{element, {}};
  const auto add = [&](Value value) { out.items.push_back(checked(std::move(value), element)); };
  for (const auto& item : proto.tensor_values) add(tensors.read(item));
  for (const auto& item : proto.sparse_tensor_values) add(tensors.read(item));
  const bool is_nested = !proto.sequence_values.empty() || !proto.optional_values.empty();
  check(!is_nested || element.element, "an item is no ", element);
  for (const auto& item : proto.sequence_values) add(sequence_of(item, *element.element, tensors));
  for (const auto& item : proto.optional_values) add(optional_of(item, *element.element, tensors));
  return out;
}

/// Throws as the above.
Optional optional_of(const OptionalProto& proto, const ValueType& element, TensorReader& tensors) {
  require(!proto.map_value, ErrorKind::unsupported, "maps are not supported");
  const auto holding = [&](Value value) {
    return Optional{element, std::make_shared<const Value>(checked(std::move(value), element))};
  };
  if (proto.tensor_value) return holding(tensors.read(*proto.tensor_value));
  if (proto.sparse_tensor_value) return holding(tensors.read(*proto.sparse_tensor_value));
  check(element.element || !(proto.sequence_value || proto.optional_value), "the content is no ",
        element);
  if (proto.sequence_value)
    return holding(sequence_of(*proto.sequence_value, *element.element, tensors));
  if (proto.optional_value)
    return holding(optional_of(*proto.optional_value, *element.element, tensors));
  return Optional{element, nullptr};
}

template <class Message>
const Message& parsed(const MappedFile& file, MessageArena& arena) {
  const auto bytes = file.bytes();
  const Text text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto* message = read_message<Message>(text, arena);
  require(message, ErrorKind::file, "the file is truncated or damaged");
  return *message;
}

Value read_as(const MappedFile& file, const ValueType& type) {
  TensorReader tensors{{}};
  MessageArena arena;
  if (type.kind == Kind::tensor) return tensors.read(parsed<TensorProto>(file, arena));
  if (type.kind == Kind::sequence)
    return sequence_of(parsed<SequenceProto>(file, arena), *type.element, tensors);
  return optional_of(parsed<OptionalProto>(file, arena), *type.element, tensors);
}

/// The number that says what a sequence or an optional holds: the two enums agree.
int content_of(const ValueType& type) {
  if (type.kind == Kind::tensor) return ::onnx::SequenceProto::TENSOR;
  return type.kind == Kind::sequence ? ::onnx::SequenceProto::SEQUENCE
                                     : ::onnx::SequenceProto::OPTIONAL;
}

/// Raw data, or string_data for strings. Throws: internal for tensors of dims.
::onnx::TensorProto to_proto(const Tensor& tensor, const std::string& name) {
  ::onnx::TensorProto proto;
  proto.set_name(name);
  proto.set_data_type(onnx_data_type(tensor.dtype()));
  for (const std::int64_t dim : tensor.shape()) proto.add_dims(dim);
  if (tensor.dtype() == DatumType::string) {
    for (const std::string& text : tensor.as<std::string>()) proto.add_string_data(text);
  } else {
    const auto bytes = tensor.bytes();
    proto.set_raw_data(bytes.data(), bytes.size());
  }
  return proto;
}

::onnx::OptionalProto to_proto(const Optional& optional, const std::string& name);

::onnx::SequenceProto to_proto(const Sequence& sequence, const std::string& name) {
  ::onnx::SequenceProto proto;
  proto.set_name(name);
  proto.set_elem_type(content_of(sequence.element));
  for (const Value& item : sequence.items) {
    if (sequence.element.kind == Kind::tensor)
      *proto.add_tensor_values() = to_proto(item.tensor(), {});
    if (sequence.element.kind == Kind::sequence)
      *proto.add_sequence_values() = to_proto(item.sequence(), {});
    if (sequence.element.kind == Kind::optional)
      *proto.add_optional_values() = to_proto(item.optional(), {});
  }
  return proto;
}

::onnx::OptionalProto to_proto(const Optional& optional, const std::string& name) {
  ::onnx::OptionalProto proto;
  proto.set_name(name);
  if (!optional.value) return proto;
  proto.set_elem_type(content_of(optional.element));
  const Value& value = *optional.value;
  if (optional.element.kind == Kind::tensor)
    *proto.mutable_tensor_value() = to_proto(value.tensor(), {});
  if (optional.element.kind == Kind::sequence)
    *proto.mutable_sequence_value() = to_proto(value.sequence(), {});
  if (optional.element.kind == Kind::optional)
    *proto.mutable_optional_value() = to_proto(value.optional(), {});
  return proto;
}

std::string serialized(const Value& value, const std::string& name) {
  const ValueType type = value.type();
  if (type.kind == Kind::tensor) return to_proto(value.tensor(), name).SerializeAsString();
  if (type.kind == Kind::sequence) return to_proto(value.sequence(), name).SerializeAsString();
  return to_proto(value.optional(), name).SerializeAsString();
}

}  // namespace

Value read_value(const std::filesystem::path& path, const ValueType& type) {
  const MappedFile file(path);
  try {
    return read_as(file, type);
  } catch (const Error& error) {
    Error out(ErrorKind::file, error.message());
    throw out.in(cat("while reading ", path.string()));
  }
}

void write_value(const std::filesystem::path& path, const Value& value, const std::string& name) {
  const std::string bytes = serialized(value, name);
  // Under another name until it is whole, so that a failure leaves nothing behind.
  std::filesystem::path partial = path;
  partial += ".partial";
  std::ofstream out(partial, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(partial, path, error);
  if (out && !error) return;
  std::error_code ignored;
  std::filesystem::remove(partial, ignored);
  fail(ErrorKind::file, cat("cannot write ", in_quotes(path.string())));
}

}  // namespace strata::onnx
