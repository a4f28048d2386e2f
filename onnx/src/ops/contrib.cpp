#include "ops/contrib.h"

#include <algorithm>

namespace strata::onnx {

void expect_given(const NodeArgs& node, std::size_t least, std::size_t most,
                  std::initializer_list<std::size_t> optional) {
  node.expect_inputs(least, most);
  for (std::size_t i = 0; i < least; ++i) {
    const bool may_lack = std::find(optional.begin(), optional.end(), i) != optional.end();
    check(may_lack || node.has_input(i), "input ", i, " of ", node.op_type(), " is left out");
  }
}

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
