#include "message_writer.h"

#include "value_messages.h"
#include "wire.h"

namespace strata::onnx {
namespace {

using protozero::pbf_writer;

void put(pbf_writer& out, std::uint32_t field, Text text) { out.add_bytes(field, text); }
void put(pbf_writer& out, std::uint32_t field, float number) { out.add_float(field, number); }
void put(pbf_writer& out, std::uint32_t field, double number) { out.add_double(field, number); }
void put(pbf_writer& out, std::uint32_t field, std::int32_t number) {
  out.add_int32(field, number);
}
void put(pbf_writer& out, std::uint32_t field, std::int64_t number) {
  out.add_int64(field, number);
}
void put(pbf_writer& out, std::uint32_t field, std::uint64_t number) {
  out.add_uint64(field, number);
}
template <Message M>
void put(pbf_writer& out, std::uint32_t field, const M& message) {
  out.add_message(field, encoded(message));
}
void put(pbf_writer& out, std::uint32_t field, const AttributeProto& attribute) {
  std::string named(attribute.bytes);
  pbf_writer(named).add_string(1, attribute.name);  // of two names the last one counts
  out.add_message(field, named);
}

// What each kind of member writes.

void value(pbf_writer& out, std::uint32_t field, Text text) {
  if (!text.empty()) put(out, field, text);
}
template <Number T>
void value(pbf_writer& out, std::uint32_t field, T number) {
  if (number != 0) put(out, field, number);
}
template <class T>
void value(pbf_writer& out, std::uint32_t field, const std::optional<T>& content) {
  if (content) put(out, field, *content);
}
template <class T>
void value(pbf_writer& out, std::uint32_t field, const List<T>& items) {
  for (const T& item : items) put(out, field, item);
}
template <Message M>
void value(pbf_writer& out, std::uint32_t field, const M* message) {
  if (message) put(out, field, *message);
}
template <Message M>
void value(pbf_writer& out, std::uint32_t field, const M& message) {
  put(out, field, message);
}

}  // namespace

template <class Message>
std::string encoded(const Message& message) {
  std::string out;
  pbf_writer writer(out);
  std::apply(
      [&](const auto&... field) { (value(writer, field.number, message.*field.member), ...); },
      Message::fields());
  return out;
}

template std::string encoded(const NodeProto&);
template std::string encoded(const OptionalProto&);
template std::string encoded(const SequenceProto&);
template std::string encoded(const TensorProto&);
template std::string encoded(const TypeProto&);

}  // namespace strata::onnx
