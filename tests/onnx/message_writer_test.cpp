#include "message_writer.h"

#include <doctest/doctest.h>

#include "message_reader.h"

namespace strata::testing {

using namespace onnx;
using namespace std::string_literals;

TEST_CASE("a message that is written is read as it was") {
  MessageArena arena;
  TensorProto tensor;
  tensor.name = "w";
  tensor.data_type = 1;
  tensor.dims = arena.make_list<std::int64_t>(2);
  tensor.dims[0] = -1;
  tensor.dims[1] = 300;
  tensor.float_data = arena.make_list<float>(1);
  tensor.float_data[0] = 1.5f;
  tensor.raw_data = "";
  const std::string bytes = encoded(tensor);
  const auto* read = read_message<TensorProto>(bytes, arena);
  REQUIRE(read);
  CHECK(read->name == "w");
  CHECK(read->data_type == 1);
  REQUIRE(read->dims.size() == 2);
  CHECK(read->dims[0] == -1);
  CHECK(read->dims[1] == 300);
  REQUIRE(read->float_data.size() == 1);
  CHECK(read->float_data[0] == 1.5f);
  CHECK(read->raw_data.has_value());
  CHECK(!read->segment.has_value());
}

TEST_CASE("an attribute is written as it lies in its file, under the name it has now") {
  MessageArena arena;
  const std::string file =  // a function's node with k: 7 and a field that is unknown
      "\x3a\x0a\x2a\x08\x0a\x01k\x18\x07\x52\x01?"s;
  NodeProto& node = read_message<FunctionProto>(file, arena)->node[0];
  node.attribute[0].name = "n";
  const std::string bytes = encoded(node);
  CHECK(bytes == "\x2a\x0b\x0a\x01k\x18\x07\x52\x01?\x0a\x01n"s);
}

}  // namespace strata::testing
