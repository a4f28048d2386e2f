#include <algorithm>

#include "message_reader.h"
#include "message_writer.h"
#include "strata/core/error.h"
#include "strata/core/mapped_file.h"
#include "strata/core/replacement.h"
#include "strata/onnx/load.h"
#include "strata/onnx/registry.h"
#include "tensor_proto.h"
#include "value_messages.h"

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
  if (type.kind == Kind::tensor) {
    require(!file.bytes().empty(), ErrorKind::file, "the file is empty");
    return tensors.read(parsed<TensorProto>(file, arena));
  }
  if (type.kind == Kind::sequence)
    return sequence_of(parsed<SequenceProto>(file, arena), *type.element, tensors);
  return optional_of(parsed<OptionalProto>(file, arena), *type.element, tensors);
}

int content_of(const ValueType& type) {
  if (type.kind == Kind::tensor) return kTensorContent;
  return type.kind == Kind::sequence ? kSequenceContent : kOptionalContent;
}

/// Makes messages of values, which must outlive them.
class ProtoMaker {
 public:
  explicit ProtoMaker(MessageArena& arena) : arena_(arena) {}

  /// Raw data, or string_data for strings. Throws: internal for tensors of dims.
  TensorProto tensor(const Tensor& tensor) {
    TensorProto out;
    out.data_type = onnx_data_type(tensor.dtype());
    out.dims = list_of<std::int64_t>(tensor.shape());
    if (tensor.dtype() == DatumType::string) {
      out.string_data = list_of<Text>(tensor.as<std::string>());
    } else {
      const auto bytes = tensor.bytes();
      out.raw_data = Text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return out;
  }

  SequenceProto sequence(const Sequence& sequence) {
    SequenceProto out;
    out.elem_type = content_of(sequence.element);
    const std::size_t count = sequence.items.size();
    if (out.elem_type == kTensorContent) out.tensor_values = arena_.make_list<TensorProto>(count);
    if (out.elem_type == kSequenceContent)
      out.sequence_values = arena_.make_list<SequenceProto>(count);
    if (out.elem_type == kOptionalContent)
      out.optional_values = arena_.make_list<OptionalProto>(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Value& item = sequence.items[i];
      if (out.elem_type == kTensorContent) out.tensor_values[i] = tensor(item.tensor());
      if (out.elem_type == kSequenceContent)
        out.sequence_values[i] = this->sequence(item.sequence());
      if (out.elem_type == kOptionalContent) out.optional_values[i] = optional(item.optional());
    }
    return out;
  }

  OptionalProto optional(const Optional& optional) {
    OptionalProto out;
    if (!optional.value) return out;
    out.elem_type = content_of(optional.element);
    const Value& value = *optional.value;
    if (out.elem_type == kTensorContent) out.tensor_value = kept(tensor(value.tensor()));
    if (out.elem_type == kSequenceContent) out.sequence_value = kept(sequence(value.sequence()));
    if (out.elem_type == kOptionalContent)
      out.optional_value = kept(this->optional(value.optional()));
    return out;
  }

 private:
  template <class T, class Items>
  List<T> list_of(const Items& items) {
    const auto out = arena_.make_list<T>(items.size());
    std::copy(items.begin(), items.end(), out.begin());
    return out;
  }
  template <class Message>
  Message* kept(const Message& message) {
    Message* const out = arena_.make<Message>(1);
    *out = message;
    return out;
  }

  MessageArena& arena_;
};

template <class Message>
std::string named(Message message, const std::string& name) {
  message.name = name;
  return encoded(message);
}

}  // namespace

Value read_value(const std::filesystem::path& path, const ValueType& type) {
  const MappedFile file(path);
  try {
    return read_as(file, type);
  } catch (Error& error) {
    if (error.kind() == ErrorKind::invalid_model) error.as(ErrorKind::file);
    throw error.in(cat("while reading ", path.string()));
  }
}

std::string to_bytes(const Value& value, const std::string& name) {
  MessageArena arena;
  ProtoMaker make(arena);
  const ValueType type = value.type();
  if (type.kind == Kind::tensor) return named(make.tensor(value.tensor()), name);
  if (type.kind == Kind::sequence) return named(make.sequence(value.sequence()), name);
  return named(make.optional(value.optional()), name);
}

void write_value(const std::filesystem::path& path, const Value& value, const std::string& name) {
  const Replacement file(path);
  file.write(to_bytes(value, name));
  file.finish();
}

}  // namespace strata::onnx
