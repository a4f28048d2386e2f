#include "message_reader.h"

#include <algorithm>

#include "strata/core/error.h"
#include "value_messages.h"
#include "wire.h"

namespace strata::onnx {
namespace {

/// Messages within messages. A subgraph is three levels, so that far deeper models than
/// Limits::nesting allows are read, and refused by name; a stack of 1 MB is enough.
constexpr int kNesting = 2000;

/// Reads fields of messages into the members that stand for them.
class Reader {
 public:
  explicit Reader(MessageArena& arena) : arena_(arena) {}

  template <Message M>
  void fields(Text bytes, M& message) {
    require(depth_ <= kNesting, ErrorKind::limit, "messages nest deeper than ", kNesting);
    ++depth_;
    if constexpr (requires { message.bytes; }) message.bytes = bytes;
    for (Wire wire(bytes); wire.next();) {
      const bool is_known = std::apply(
          [&](const auto&... field) {
            return ((field.number == wire.tag() && value(wire, message.*field.member)) || ...);
          },
          M::fields());
      if (!is_known) wire.skip();
    }
    --depth_;
  }

 private:
  // Each of these returns false, having read nothing, when such a value is not encoded so.

  bool value(Wire& wire, Text& out) {
    if (!is_bytes(wire)) return false;
    out = wire.get_view();
    return true;
  }
  template <Number T>
  bool value(Wire& wire, T& out) {
    if (wire.wire_type() != wire_type_of<T>()) return false;
    out = number<T>(wire);
    return true;
  }
  template <class T>
  bool value(Wire& wire, std::optional<T>& out) {
    T content{};
    if (!value(wire, content)) return false;
    out = content;
    return true;
  }
  template <Message M>
  bool value(Wire& wire, M& out) {
    if (!is_bytes(wire)) return false;
    fields(wire.get_view(), out);
    return true;
  }
  template <Message M>
  bool value(Wire& wire, M*& out) {
    if (!is_bytes(wire)) return false;
    if (!out) out = arena_.make<M>(1);
    return value(wire, *out);
  }
  template <Number T>
  bool value(Wire& wire, List<T>& out) {
    if (wire.wire_type() == wire_type_of<T>()) {
      *append(out, 1) = number<T>(wire);
      return true;
    }
    if (!is_bytes(wire)) return false;
    const auto items = packed<T>(wire);
    std::copy(items.begin(), items.end(), append(out, items.size()));
    return true;
  }
  bool value(Wire& wire, List<Text>& out) { return is_bytes(wire) && value(wire, *append(out, 1)); }
  /// Messages are large: a list of them is given room for all that are to come.
  template <Message M>
  bool value(Wire& wire, List<M>& out) {
    if (!is_bytes(wire)) return false;
    if (out.size() == out.room())
      give_room(out, std::max(out.size() + count_from(wire), 2 * out.room()));
    return value(wire, *append(out, 1));
  }

  static bool is_bytes(const Wire& wire) {
    return wire.wire_type() == protozero::pbf_wire_type::length_delimited;
  }
  /// How many fields of the same number there are from this one on.
  static std::size_t count_from(Wire wire) {
    const auto field = wire.tag();
    std::size_t count = 0;
    do {
      ++count;
      wire.skip();
    } while (wire.next(field));
    return count;
  }

  template <class T>
  void give_room(List<T>& list, std::size_t room) {
    T* const items = arena_.make<T>(room);
    std::copy(list.begin(), list.end(), items);
    list = {items, list.size(), room};
  }
  /// Appends `count` items, and returns the first of them.
  template <class T>
  T* append(List<T>& list, std::size_t count) {
    const std::size_t old = list.size(), size = old + count;
    if (size > list.room()) give_room(list, std::max(size, 2 * list.room()));
    list = {list.data(), size, list.room()};
    return list.data() + old;
  }

  MessageArena& arena_;
  int depth_ = 0;
};

}  // namespace

template <class Message>
Message* read_message(Text bytes, MessageArena& arena) {
  Message& out = *arena.make<Message>(1);
  try {
    Reader(arena).fields(bytes, out);
    return &out;
  } catch (const protozero::exception&) {
    return nullptr;
  }
}

template AttributeProto* read_message(Text, MessageArena&);
template FunctionProto* read_message(Text, MessageArena&);
template ModelProto* read_message(Text, MessageArena&);
template OptionalProto* read_message(Text, MessageArena&);
template SequenceProto* read_message(Text, MessageArena&);
template TensorProto* read_message(Text, MessageArena&);

}  // namespace strata::onnx
