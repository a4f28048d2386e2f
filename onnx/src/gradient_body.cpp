#include "gradient_body.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <map>
#include <set>

#include "strata/core/error.h"

namespace strata::onnx {
namespace {

const ::onnx::AttributeProto* attribute_of(const ::onnx::NodeProto& node, std::string_view name) {
  for (const auto& attribute : node.attribute())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}

/// The names in `xs`, then those in `zs`.
std::vector<std::string> input_names(const ::onnx::NodeProto& node) {
  std::vector<std::string> out;
  for (const std::string_view list : {"xs", "zs"})
    if (const auto* attribute = attribute_of(node, list))
      out.insert(out.end(), attribute->strings().begin(), attribute->strings().end());
  return out;
}

/// Indices of the nodes that `y` needs when `known` is given.
std::set<int> needed_nodes(const NodeProtos& nodes, const std::string& y,
                           const std::set<std::string>& known) {
  std::map<std::string, int> producers;
  for (int i = 0; i < nodes.size(); ++i)
    for (const std::string& output : nodes[i].output()) producers.emplace(output, i);
  check(known.contains(y) || producers.contains(y), "nothing in the graph computes y, ",
        in_quotes(y));
  std::set<int> out;
  std::vector<std::string> open{y};
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    const auto producer = producers.find(name);
    if (known.contains(name) || producer == producers.end()) continue;
    if (!out.insert(producer->second).second) continue;
    const ::onnx::NodeProto& node = nodes[producer->second];
    open.insert(open.end(), node.input().begin(), node.input().end());
    for (const std::string_view captured : GraphNames().captured_by(node))
      open.emplace_back(captured);
  }
  return out;
}

}  // namespace

bool is_gradient(const ::onnx::NodeProto& node) {
  return node.op_type() == "Gradient" && node.domain() == "ai.onnx.preview.training";
}

void give_gradient_body(::onnx::NodeProto& node, const NodeProtos& nodes) {
  if (attribute_of(node, "body")) return;
  const auto* y = attribute_of(node, "y");
  check(y != nullptr, "attribute \"y\" is missing");
  const std::vector<std::string> names = input_names(node);
  ::onnx::AttributeProto body;
  body.set_name("body");
  body.set_type(::onnx::AttributeProto::GRAPH);
  ::onnx::GraphProto& graph = *body.mutable_g();
  graph.set_name("gradient");
  for (const std::string& name : names) graph.add_input()->set_name(name);
  for (const int i : needed_nodes(nodes, y->s(), {names.begin(), names.end()})) {
    check(&nodes[i] != &node, "y is computed from its own gradient");
    *graph.add_node() = nodes[i];
  }
  graph.add_output()->set_name(y->s());
  *node.add_attribute() = std::move(body);
}

}  // namespace strata::onnx
