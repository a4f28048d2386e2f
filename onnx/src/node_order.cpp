#include "node_order.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <string_view>

#include "name_map.h"
#include "strata/core/error.h"

namespace strata::onnx {
namespace {

CapturedNames::Names listed(const NameSet& names) {
  CapturedNames::Names out;
  out.reserve(names.size());
  for (const auto& [name, nothing] : names) out.push_back(name);
  return out;
}

NameSet defined_names(const ::onnx::GraphProto& graph) {
  NameSet names;
  names.reserve(static_cast<std::size_t>(1 + graph.input_size() + graph.initializer_size() +
                                         graph.node_size()));
  names.add("");  // of what is left out
  for (const auto& input : graph.input()) names.add(input.name());
  for (const auto& tensor : graph.initializer()) names.add(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) names.add(tensor.values().name());
  for (const auto& node : graph.node())
    for (const std::string& output : node.output()) names.add(output);
  return names;
}

/// Which node defines a name.
using Producers = NameMap<int>;

Producers producers_of(const NodeProtos& nodes) {
  Producers producers;
  producers.reserve(static_cast<std::size_t>(nodes.size()));
  for (int i = 0; i < nodes.size(); ++i)
    for (const std::string& output : nodes[i].output()) {
      if (output.empty()) continue;
      if (!producers.add(output, i))
        fail(ErrorKind::invalid_model,
             cat(in_quotes(output), " is defined twice: by ",
                 label_of(nodes[*producers.find(output)]), " and by ", label_of(nodes[i])));
    }
  return producers;
}

/// Calls `visit` with each node that `node` waits for.
template <class Visit>
void for_each_dependency(const ::onnx::NodeProto& node, const Producers& producers,
                         CapturedNames& captured, const Visit& visit) {
  const auto add = [&](std::string_view name) {
    if (const int* producer = producers.find(name)) visit(*producer);
  };
  for (const std::string& input : node.input()) add(input);
  if (!has_subgraphs(node)) return;
  for (const std::string_view name : captured.of(node)) add(name);
}

/// For each node the nodes it waits for.
std::vector<std::vector<int>> dependencies_of(const NodeProtos& nodes, const Producers& producers,
                                              CapturedNames& captured) {
  std::vector<std::vector<int>> out(static_cast<std::size_t>(nodes.size()));
  for (int i = 0; i < nodes.size(); ++i)
    for_each_dependency(nodes[i], producers, captured,
                        [&](int each) { out[static_cast<std::size_t>(i)].push_back(each); });
  return out;
}

/// Whether every node is listed after those it waits for.
bool is_in_order(const NodeProtos& nodes, const Producers& producers, CapturedNames& captured) {
  bool in_order = true;
  for (int i = 0; i < nodes.size() && in_order; ++i)
    for_each_dependency(nodes[i], producers, captured, [&](int each) { in_order &= each < i; });
  return in_order;
}

/// Follows nodes that wait for one another until one comes again. `missing` counts what each still
/// waits for.
[[noreturn]] void fail_on_cycle(const NodeProtos& nodes,
                                const std::vector<std::vector<int>>& dependencies,
                                const std::vector<std::size_t>& missing) {
  const auto waits = [&](int i) { return missing[static_cast<std::size_t>(i)] > 0; };
  std::vector<int> path;
  int at = 0;
  while (!waits(at)) ++at;
  while (std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    const auto& next = dependencies[static_cast<std::size_t>(at)];
    at = *std::find_if(next.begin(), next.end(), waits);
    if (path.size() > 64) break;
  }
  fail(ErrorKind::invalid_model, cat("the graph has a cycle through ", label_of(nodes[at])));
}

}  // namespace

std::string label_of(const ::onnx::NodeProto& node) {
  const std::string& name =
      !node.name().empty() || node.output().empty() ? node.name() : node.output(0);
  return cat(node.op_type(), ' ', in_quotes(name));
}

bool has_subgraphs(const ::onnx::NodeProto& node) {
  return std::any_of(node.attribute().begin(), node.attribute().end(), [](const auto& attribute) {
    return attribute.has_g() || attribute.graphs_size() > 0;
  });
}

CapturedNames::Names CapturedNames::of(const ::onnx::NodeProto& node) {
  if (!has_subgraphs(node)) return {};
  NameSet names;
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g())
      for (const std::string_view name : of(attribute.g())) names.add(name);
    for (const auto& graph : attribute.graphs())
      for (const std::string_view name : of(graph)) names.add(name);
  }
  return listed(names);
}

const CapturedNames::Names& CapturedNames::of(const ::onnx::GraphProto& graph) {
  if (const auto known = graphs_.find(&graph); known != graphs_.end()) return known->second;
  const NameSet defined = defined_names(graph);
  NameSet names;
  const auto add = [&](std::string_view name) {
    if (!defined.contains(name)) names.add(name);
  };
  for (const auto& node : graph.node()) {
    for (const std::string& input : node.input()) add(input);
    for (const std::string_view name : of(node)) add(name);
  }
  for (const auto& output : graph.output()) add(output.name());
  return graphs_.emplace(&graph, listed(names)).first->second;
}

std::vector<int> node_order(const NodeProtos& nodes, CapturedNames& captured) {
  const Producers producers = producers_of(nodes);
  if (is_in_order(nodes, producers, captured)) {
    std::vector<int> order(static_cast<std::size_t>(nodes.size()));
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  const auto dependencies = dependencies_of(nodes, producers, captured);
  std::vector<std::vector<int>> readers(dependencies.size());
  std::vector<std::size_t> missing(dependencies.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < nodes.size(); ++i) {
    const auto& needed = dependencies[static_cast<std::size_t>(i)];
    missing[static_cast<std::size_t>(i)] = needed.size();
    if (needed.empty()) ready.push(i);
    for (const int producer : needed) readers[static_cast<std::size_t>(producer)].push_back(i);
  }
  std::vector<int> order;
  while (!ready.empty()) {
    const int next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const int reader : readers[static_cast<std::size_t>(next)])
      if (--missing[static_cast<std::size_t>(reader)] == 0) ready.push(reader);
  }
  if (order.size() != dependencies.size()) fail_on_cycle(nodes, dependencies, missing);
  return order;
}

}  // namespace strata::onnx
