#include "value_proto.h"

#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

#include <fstream>

#include "mapped_file.h"
#include "strata/core/error.h"
#include "strata/onnx/load.h"

namespace strata::onnx {
namespace {

using ::onnx::OptionalProto;
using ::onnx::SequenceProto;
using Kind = ValueType::Kind;

Value checked(Value value, const ValueType& type) {
  check(value.type() == type, "an item is ", value.type(), ", not ", type);
  return value;
}

template <class Proto>
Proto parsed(const MappedFile& file) {
  Proto proto;
  const auto bytes = file.bytes();
  require(bytes.size() <= INT32_MAX &&
              proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())),
          ErrorKind::file, "the file is truncated or damaged");
  return proto;
}

Value read_as(const MappedFile& file, const ValueType& type) {
  TensorReader tensors{{}};
  if (type.kind == Kind::tensor) {
    auto proto = parsed<::onnx::TensorProto>(file);
    return tensors.read(proto);
  }
  if (type.kind == Kind::sequence) {
    auto proto = parsed<SequenceProto>(file);
    return sequence_of(proto, *type.element, tensors);
  }
  auto proto = parsed<OptionalProto>(file);
  return optional_of(proto, *type.element, tensors);
}

/// The number that says what a sequence or an optional holds: the two enums agree.
int content_of(const ValueType& type) {
  if (type.kind == Kind::tensor) return SequenceProto::TENSOR;
  return type.kind == Kind::sequence ? SequenceProto::SEQUENCE : SequenceProto::OPTIONAL;
}

std::string serialized(const Value& value, const std::string& name) {
  const ValueType type = value.type();
  if (type.kind == Kind::tensor) return to_proto(value.tensor(), name).SerializeAsString();
  if (type.kind == Kind::sequence) return to_proto(value.sequence(), name).SerializeAsString();
  return to_proto(value.optional(), name).SerializeAsString();
}

}  // namespace

Sequence sequence_of(SequenceProto& proto, const ValueType& element, TensorReader& tensors) {
  require(proto.map_values_size() == 0, ErrorKind::unsupported, "maps are not supported");
  Sequence out{element, {}};
  const auto add = [&](Value value) { out.items.push_back(checked(std::move(value), element)); };
  for (auto& item : *proto.mutable_tensor_values()) add(tensors.read(item));
  for (auto& item : *proto.mutable_sparse_tensor_values()) add(tensors.read(item));
  const bool is_nested = proto.sequence_values_size() + proto.optional_values_size() > 0;
  check(!is_nested || element.element, "an item is no ", element);
  for (auto& item : *proto.mutable_sequence_values())
    add(sequence_of(item, *element.element, tensors));
  for (auto& item : *proto.mutable_optional_values())
    add(optional_of(item, *element.element, tensors));
  return out;
}

Optional optional_of(OptionalProto& proto, const ValueType& element, TensorReader& tensors) {
  require(!proto.has_map_value(), ErrorKind::unsupported, "maps are not supported");
  const auto holding = [&](Value value) {
    return Optional{element, std::make_shared<const Value>(checked(std::move(value), element))};
  };
  if (proto.has_tensor_value()) return holding(tensors.read(*proto.mutable_tensor_value()));
  if (proto.has_sparse_tensor_value())
    return holding(tensors.read(*proto.mutable_sparse_tensor_value()));
  check(element.element || !(proto.has_sequence_value() || proto.has_optional_value()),
        "the content is no ", element);
  if (proto.has_sequence_value())
    return holding(sequence_of(*proto.mutable_sequence_value(), *element.element, tensors));
  if (proto.has_optional_value())
    return holding(optional_of(*proto.mutable_optional_value(), *element.element, tensors));
  return Optional{element, nullptr};
}

SequenceProto to_proto(const Sequence& sequence, const std::string& name) {
  SequenceProto proto;
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

OptionalProto to_proto(const Optional& optional, const std::string& name) {
  OptionalProto proto;
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
