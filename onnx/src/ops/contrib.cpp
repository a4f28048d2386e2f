#include "ops/contrib.h"

namespace strata::onnx {

void refuse_input(const NodeArgs& node, std::size_t i, std::string_view name) {
  require(!node.has_input(i), ErrorKind::unsupported, "input ", i, " (", name, ") of ",
          node.op_type(), " is not supported");
}

void refuse_output(const NodeArgs& node, std::size_t i, std::string_view name) {
  require(!node.has_output(i), ErrorKind::unsupported, "output ", i, " (", name, ") of ",
          node.op_type(), " is not supported");
}

void refuse_flag(NodeArgs& node, std::string_view name) {
  require(node.integer(name, 0) <= 0, ErrorKind::unsupported, node.op_type(), " with ", name,
          " is not supported");
}

}  // namespace strata::onnx
