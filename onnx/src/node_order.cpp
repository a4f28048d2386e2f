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

/// For each node the nodes it waits for.
std::vector<std::vector<int>> dependencies_of(const NodeProtos& nodes, GraphNames& names) {
  const Producers producers = producers_of(nodes);
  std::vector<std::vector<int>> out(static_cast<std::size_t>(nodes.size()));
  for (int i = 0; i < nodes.size(); ++i) {
    const auto add = [&](std::string_view name) {
      if (const int* producer = producers.find(name))
        out[static_cast<std::size_t>(i)].push_back(*producer);
    };
    for (const std::string& input : nodes[i].input()) add(input);
    for (const std::string_view name : names.captured_by(nodes[i])) add(name);
  }
  return out;
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

std::vector<int> node_order(const NodeProtos& nodes, GraphNames& names) {
  if (names.in_order(nodes)) {
    std::vector<int> order(static_cast<std::size_t>(nodes.size()));
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  const auto dependencies = dependencies_of(nodes, names);
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
