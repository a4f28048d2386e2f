#include "gradient_body.h"

#include <algorithm>
#include <map>
#include <set>

#include "strata/core/error.h"

namespace strata::onnx {
namespace {

const AttributeProto* attribute_of(const NodeProto& node, std::string_view name) {
  for (const auto& attribute : node.attribute)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

/// The names in `xs`, then those in `zs`.
std::vector<Text> input_names(const NodeProto& node) {
  std::vector<Text> out;
  for (const std::string_view list : {"xs", "zs"})
    if (const auto* attribute = attribute_of(node, list))
      out.insert(out.end(), attribute->strings.begin(), attribute->strings.end());
  return out;
}

/// Indices of the nodes that `y` needs when `known` is given.
std::set<std::size_t> needed_nodes(const NodeProtos& nodes, Text y, const std::set<Text>& known) {
  std::map<Text, std::size_t> producers;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const Text output : nodes[i].output) producers.emplace(output, i);
  check(known.contains(y) || producers.contains(y), "nothing in the graph computes y, ",
        in_quotes(y));
  std::set<std::size_t> out;
  std::vector<Text> open{y};
  while (!open.empty()) {
    const Text name = open.back();
    open.pop_back();
    const auto producer = producers.find(name);
    if (known.contains(name) || producer == producers.end()) continue;
    if (!out.insert(producer->second).second) continue;
    const NodeProto& node = nodes[producer->second];
    open.insert(open.end(), node.input.begin(), node.input.end());
    for (const Text captured : GraphNames().captured_by(node)) open.push_back(captured);
  }
  return out;
}

}  // namespace

bool is_gradient(const NodeProto& node) {
  return node.op_type == "Gradient" && node.domain == "ai.onnx.preview.training";
}

void give_gradient_body(NodeProto& node, const NodeProtos& nodes, MessageArena& arena) {
  if (attribute_of(node, "body")) return;
  const auto* y = attribute_of(node, "y");
  check(y != nullptr, "attribute \"y\" is missing");
  const Text result = y->s.value_or("");
  const std::vector<Text> names = input_names(node);
  const std::set<std::size_t> needed = needed_nodes(nodes, result, {names.begin(), names.end()});

  GraphProto& graph = *arena.make<GraphProto>(1);
  graph.input = arena.make_list<ValueInfoProto>(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) graph.input[i].name = names[i];
  graph.node = arena.make_list<NodeProto>(needed.size());
  auto added = graph.node.begin();
  for (const std::size_t i : needed) {
    check(&nodes[i] != &node, "y is computed from its own gradient");
    *added++ = nodes[i];
  }
  graph.output = arena.make_list<ValueInfoProto>(1);
  graph.output[0].name = result;

  const auto attributes = arena.make_list<AttributeProto>(node.attribute.size() + 1);
  std::copy(node.attribute.begin(), node.attribute.end(), attributes.begin());
  attributes.back().name = "body";
  attributes.back().type = AttributeProto::kGraph;
  attributes.back().g = &graph;
  node.attribute = attributes;
}

}  // namespace strata::onnx
