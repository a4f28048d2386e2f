#include "message_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "value_messages.h"
#include "wire.h"

namespace strata::onnx {
namespace {

/// Messages within messages. A subgraph is three levels, so that far deeper models than
/// Limits::nesting allows are read, and refused by name.
constexpr int kNesting = 4000;

struct Tag {
  std::uint32_t number;
  Wire wire;
};

struct Damaged {};

/// Counts messages within messages while it lives.
class Nested {
 public:
  explicit Nested(int& depth) : depth_(depth) {
    if (depth == kNesting) throw Damaged{};
    ++depth_;
  }
  ~Nested() { --depth_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  int& depth_;
};

class Reader {
 public:
  Reader(Text bytes, MessageArena& arena)
      : at_(bytes.data()), end_(at_ + bytes.size()), arena_(arena) {}

  /// Reads the fields up to the end.
  template <Message M>
  void fields(M& message) {
    while (at_ < end_) {
      const Tag next = tag();
      number_ = next.number;
      const bool is_known = std::apply(
          [&](const auto&... field) {
            return ((field.number == next.number && value(message.*field.member, next.wire)) ||
                    ...);
          },
          M::fields());
      if (!is_known) skip(next.wire, next.number);
    }
  }

 private:
  // Each of these returns false, having read nothing, when such a value is not encoded so.

  bool value(Text& out, Wire wire) {
    if (wire != Wire::bytes) return false;
    out = text();
    return true;
  }
  template <Number T>
  bool value(T& out, Wire wire) {
    if (wire != wire_of<T>()) return false;
    out = number<T>();
    return true;
  }
  template <class T>
  bool value(std::optional<T>& out, Wire wire) {
    T content{};
    if (!value(content, wire)) return false;
    out = content;
    return true;
  }
  template <Message M>
  bool value(M& out, Wire wire) {
    if (wire != Wire::bytes) return false;
    const Text inner = text();
    if constexpr (requires { out.bytes; }) out.bytes = inner;
    const Nested nested(depth_);
    const char* const after = std::exchange(at_, inner.data());
    const char* const end = std::exchange(end_, after);
    fields(out);
    end_ = end;
    return true;
  }
  template <Message M>
  bool value(M*& out, Wire wire) {
    if (wire != Wire::bytes) return false;
    if (!out) out = arena_.make<M>(1);
    return value(*out, wire);
  }
  template <class T>
  bool value(List<T>& out, Wire wire) {
    if constexpr (Number<T>) {
      if (wire == wire_of<T>()) return value(extended(out, 1), wire);
      if (wire != Wire::bytes) return false;
      packed(out, text());
      return true;
    } else {
      return wire == Wire::bytes && value(extended(out, 1), wire);
    }
  }

  /// Appends what lies in `bytes` one after another.
  template <Number T>
  void packed(List<T>& out, Text bytes) {
    if (bytes.empty()) return;
    if constexpr (wire_of<T>() == Wire::varint) {
      const auto ends = [](char byte) { return static_cast<signed char>(byte) >= 0; };
      const auto count = static_cast<std::size_t>(std::count_if(bytes.begin(), bytes.end(), ends));
      if (count == 0 || !ends(bytes.back())) throw Damaged{};
      const char* const after = std::exchange(at_, bytes.data());
      T* item = &extended(out, count);
      while (at_ < after) *item++ = number<T>();
    } else {
      if (bytes.size() % sizeof(T) != 0) throw Damaged{};
      std::memcpy(&extended(out, bytes.size() / sizeof(T)), bytes.data(), bytes.size());
    }
  }

  /// Appends `count` items, and returns the first of them.
  template <class T>
  T& extended(List<T>& list, std::size_t count) {
    const std::size_t old = list.size(), size = old + count;
    T* items = list.data();
    std::size_t room = list.room();
    if (size > room) {
      room = std::max({size, 2 * room, old + expected<T>()});
      items = arena_.make<T>(room);
      std::copy(list.begin(), list.end(), items);
    }
    list = {items, size, room};
    return list[old];
  }
  /// How many items a list may get from the field being read on. Messages are counted ahead, since
  /// they are large.
  template <class T>
  std::size_t expected() const {
    std::size_t count = 1;
    if constexpr (Message<T>) {
      Reader ahead = *this;
      ahead.skip(Wire::bytes, number_);
      while (ahead.at_ < ahead.end_) {
        const Tag next = ahead.tag();
        if (next.number == number_) ++count;
        ahead.skip(next.wire, next.number);
      }
    }
    return count;
  }

  template <Number T>
  T number() {
    if constexpr (wire_of<T>() == Wire::varint) {
      return static_cast<T>(varint());
    } else {
      T out;
      std::memcpy(&out, taken(sizeof(T)), sizeof(T));
      return out;
    }
  }
  Tag tag() {
    const auto bits = static_cast<std::uint32_t>(varint());
    if (bits >> 3 == 0) throw Damaged{};
    return {bits >> 3, static_cast<Wire>(bits & 7)};
  }
  std::uint64_t varint() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; shift < 64 && at_ < end_; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      out |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return out;
    }
    throw Damaged{};
  }
  Text text() {
    const std::uint64_t length = varint();
    return {taken(length), static_cast<std::size_t>(length)};
  }
  const char* taken(std::uint64_t size) {
    if (size > static_cast<std::uint64_t>(end_ - at_)) throw Damaged{};
    return std::exchange(at_, at_ + size);
  }
  void skip(Wire wire, std::uint32_t number) {
    switch (wire) {
      case Wire::varint:
        varint();
        return;
      case Wire::fixed64:
        taken(8);
        return;
      case Wire::bytes:
        text();
        return;
      case Wire::group:
        skip_group(number);
        return;
      case Wire::fixed32:
        taken(4);
        return;
      case Wire::group_end:
        break;
    }
    throw Damaged{};
  }
  /// Fields between two tags, as messages were written before they had a length; ONNX has none.
  void skip_group(std::uint32_t number) {
    const Nested nested(depth_);
    for (;;) {
      const Tag inner = tag();
      if (inner.wire == Wire::group_end && inner.number == number) return;
      skip(inner.wire, inner.number);
    }
  }

  const char* at_;
  const char* end_;  ///< of the message being read
  MessageArena& arena_;
  std::uint32_t number_ = 0;  ///< of the field being read
  int depth_ = 0;
};

}  // namespace

template <class Message>
Message* read_message(Text bytes, MessageArena& arena) {
  Message& out = *arena.make<Message>(1);
  if constexpr (requires { out.bytes; }) out.bytes = bytes;
  try {
    Reader(bytes, arena).fields(out);
    return &out;
  } catch (const Damaged&) {
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
