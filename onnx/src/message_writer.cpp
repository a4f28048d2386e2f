#include "message_writer.h"

#include <cstring>
#include <utility>

#include "value_messages.h"
#include "wire.h"

namespace strata::onnx {
namespace {

class Writer {
 public:
  template <Message M>
  void fields(const M& message) {
    std::apply([&](const auto&... field) { (value(field.number, message.*field.member), ...); },
               M::fields());
  }
  std::string take() { return std::move(out_); }

 private:
  void value(std::uint32_t field, Text text) {
    if (!text.empty()) put(field, text);
  }
  template <Number T>
  void value(std::uint32_t field, T number) {
    if (number != 0) put(field, number);
  }
  template <class T>
  void value(std::uint32_t field, const std::optional<T>& content) {
    if (content) put(field, *content);
  }
  template <class T>
  void value(std::uint32_t field, List<T> items) {
    for (const T& item : items) put(field, item);
  }
  template <Message M>
  void value(std::uint32_t field, const M* message) {
    if (message) put(field, *message);
  }
  template <Message M>
  void value(std::uint32_t field, const M& message) {
    put(field, message);
  }

  void put(std::uint32_t field, Text text) {
    tag(field, Wire::bytes);
    varint(text.size());
    out_ += text;
  }
  template <Number T>
  void put(std::uint32_t field, T number) {
    tag(field, wire_of<T>());
    if constexpr (wire_of<T>() == Wire::varint) {
      varint(static_cast<std::uint64_t>(number));
    } else {
      char bytes[sizeof(T)];
      std::memcpy(bytes, &number, sizeof(T));
      out_.append(bytes, sizeof(T));
    }
  }
  template <Message M>
  void put(std::uint32_t field, const M& message) {
    put(field, Text(encoded(message)));
  }
  void put(std::uint32_t field, const AttributeProto& attribute) {
    Writer named;
    named.out_ = attribute.bytes;
    named.value(1, attribute.name);  // of two names the last one counts
    put(field, Text(named.out_));
  }

  void tag(std::uint32_t field, Wire wire) {
    varint(field << 3 | static_cast<std::uint32_t>(wire));
  }
  void varint(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) out_ += static_cast<char>(number | 0x80);
    out_ += static_cast<char>(number);
  }

  std::string out_;
};

}  // namespace

template <class Message>
std::string encoded(const Message& message) {
  Writer writer;
  writer.fields(message);
  return writer.take();
}

template std::string encoded(const NodeProto&);
template std::string encoded(const OptionalProto&);
template std::string encoded(const SequenceProto&);
template std::string encoded(const TensorProto&);
template std::string encoded(const TypeProto&);

}  // namespace strata::onnx
