#include "message_reader.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "value_messages.h"

namespace strata::testing {
namespace {

using namespace onnx;
using namespace std::string_literals;

/// A message of `bytes`, which the test keeps; it must be whole.
template <class Message>
const Message& message_of(Text bytes, MessageArena& arena) {
  const auto* message = read_message<Message>(bytes, arena);
  REQUIRE(message != nullptr);
  return *message;
}

template <class T>
std::vector<T> items(List<T> list) {
  return {list.begin(), list.end()};
}

bool is_damaged(Text bytes) {
  MessageArena arena;
  return read_message<TensorProto>(bytes, arena) == nullptr;
}

}  // namespace

TEST_CASE("numbers of a list come one by one, packed, or both") {
  MessageArena arena;
  const std::string bytes =
      "\x08\x02"                                      // dims: 2
      "\x0a\x03\x03\xac\x02"                          // dims: 3, 300
      "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"  // dims: -1
      "\x22\x08\0\0\x80\x3f\0\0\0\x40"                // float_data: 1, 2
      "\x25\0\0\x40\x40"s;                            // float_data: 3
  const auto& tensor = message_of<TensorProto>(bytes, arena);
  CHECK(items(tensor.dims) == std::vector<std::int64_t>{2, 3, 300, -1});
  CHECK(items(tensor.float_data) == std::vector<float>{1, 2, 3});
}

TEST_CASE("texts and bytes are those of the file, and one that is there is not one that is empty") {
  MessageArena arena;
  const std::string bytes = "\x42\x01w\x4a\x00"s;
  const auto& tensor = message_of<TensorProto>(bytes, arena);
  CHECK(tensor.name.data() == bytes.data() + 2);
  CHECK(tensor.name == "w");
  CHECK(tensor.raw_data == Text());
  const auto& empty = message_of<TensorProto>({}, arena);
  CHECK(!empty.raw_data.has_value());
  CHECK(empty.dims.empty());
}

TEST_CASE("of a value that comes twice the last counts, and messages that do are one") {
  MessageArena arena;
  const std::string bytes =
      "\x08\x03\x08\x08"  // ir_version: 3, then 8
      "\x3a\x05\x0a\x03\x22\x01"
      "A"  // a graph with a node A
      "\x3a\x05\x0a\x03\x22\x01"
      "B"s;  // and with a node B
  const auto& model = message_of<ModelProto>(bytes, arena);
  CHECK(model.ir_version == 8);
  REQUIRE(model.graph);
  REQUIRE(model.graph->node.size() == 2);
  CHECK(model.graph->node[0].op_type == "A");
  CHECK(model.graph->node[1].op_type == "B");
}

TEST_CASE("a message in many parts takes memory by their number, not by its square") {
  constexpr std::size_t kParts = 50'000;
  std::string bytes;
  for (std::size_t i = 0; i < kParts; ++i) bytes += "\x3a\x02\x0a\x00"s;  // a graph with a node
  MessageArena arena;
  CHECK(message_of<ModelProto>(bytes, arena).graph->node.size() == kParts);
}

TEST_CASE("an attribute knows its bytes") {
  MessageArena arena;
  const std::string bytes = "\x2a\x05\x0a\x01k\x18\x07"s;  // a node's attribute k: 7
  const std::string body = "\x3a\x07"s + bytes;
  const auto& node = message_of<FunctionProto>(body, arena).node[0];
  CHECK(node.attribute[0].i == 7);
  CHECK(node.attribute[0].bytes == "\x0a\x01k\x18\x07"s);
}

TEST_CASE("fields that are unknown or of another type are passed over") {
  MessageArena arena;
  const std::string bytes =
      "\xf8\x07\x01"  // field 127: a number
      "\xf9\x07"
      "12345678"  // eight bytes
      "\xfd\x07"
      "1234"            // four bytes
      "\xfa\x07\x02hi"  // two bytes
      "\x0d"
      "1234"        // dims of four bytes
      "\x08\x05"s;  // dims: 5
  CHECK(items(message_of<TensorProto>(bytes, arena).dims) == std::vector<std::int64_t>{5});
}

TEST_CASE(
    "bytes that end early, numbers that do not end and groups, which ONNX has none of, are "
    "damage") {
  CHECK(is_damaged("\x08"));       // a tag alone
  CHECK(is_damaged("\x42\x02w"));  // a text of two bytes
  CHECK(
      is_damaged("\x25"
                 "123"));             // four bytes
  CHECK(is_damaged("\x0a\x01\x80"));  // a list whose last number goes on
  CHECK(
      is_damaged("\x22\x05"
                 "12345"));               // floats of five bytes
  CHECK(is_damaged("\x0b\x08\x01\x0c"));  // a group
  CHECK(is_damaged("\x02\x00"s));         // field 0
  CHECK(is_damaged("\x08" + std::string(10, '\xff') + "\x01"));
  CHECK(!is_damaged("\x08\x01"));
}

TEST_CASE("messages may nest 2000 deep") {
  const auto nested = [](std::size_t depth) {
    std::string bytes;  // of a sequence
    while (depth-- > 0) {
      std::string length;
      std::size_t size = bytes.size();
      for (; size >= 128; size /= 128) length += static_cast<char>(size % 128 + 128);
      bytes.insert(0, "\x2a" + length + static_cast<char>(size));
    }
    return bytes;
  };
  MessageArena arena;
  CHECK(read_message<SequenceProto>(nested(2000), arena) != nullptr);
  CHECK_THROWS_WITH(read_message<SequenceProto>(nested(2001), arena),
                    "messages nest deeper than 2000");
}

}  // namespace strata::testing
