#include "node_order.h"

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
using Producers = NameMap<std::size_t>;

Producers producers_of(const NodeProtos& nodes) {
  Producers producers;
  producers.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const Text output : nodes[i].output) {
      if (output.empty()) continue;
      if (!producers.add(output, i))
        fail(ErrorKind::invalid_model, in_quotes(output), " is defined twice: by ",
             label_of(nodes[*producers.find(output)]), " and by ", label_of(nodes[i]));
    }
  return producers;
}

/// For each node the nodes it waits for.
std::vector<std::vector<std::size_t>> dependencies_of(const NodeProtos& nodes, GraphNames& names) {
  const Producers producers = producers_of(nodes);
  std::vector<std::vector<std::size_t>> out(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto add = [&](std::string_view name) {
      if (const std::size_t* producer = producers.find(name)) out[i].push_back(*producer);
    };
    for (const Text input : nodes[i].input) add(input);
    for (const std::string_view name : names.captured_by(nodes[i])) add(name);
  }
  return out;
}

/// Follows nodes that wait for one another until one comes again. `missing` counts what each still
/// waits for.
[[noreturn]] void fail_on_cycle(const NodeProtos& nodes,
                                const std::vector<std::vector<std::size_t>>& dependencies,
                                const std::vector<std::size_t>& missing) {
  const auto waits = [&](std::size_t i) { return missing[i] > 0; };
  std::vector<bool> was_met(nodes.size());
  std::size_t at = 0;
  while (!waits(at)) ++at;
  while (!was_met[at]) {
    was_met[at] = true;
    const auto& next = dependencies[at];
    at = *std::find_if(next.begin(), next.end(), waits);
  }
  fail(ErrorKind::invalid_model, "the graph has a cycle through ", label_of(nodes[at]));
}

}  // namespace

std::vector<std::size_t> node_order(const NodeProtos& nodes, GraphNames& names) {
  if (names.in_order(nodes)) {
    std::vector<std::size_t> order(nodes.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  const auto dependencies = dependencies_of(nodes, names);
  std::vector<std::vector<std::size_t>> readers(dependencies.size());
  std::vector<std::size_t> missing(dependencies.size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& needed = dependencies[i];
    missing[i] = needed.size();
    if (needed.empty()) ready.push(i);
    for (const std::size_t producer : needed) readers[producer].push_back(i);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const std::size_t reader : readers[next])
      if (--missing[reader] == 0) ready.push(reader);
  }
  if (order.size() != dependencies.size()) fail_on_cycle(nodes, dependencies, missing);
  return order;
}

}  // namespace strata::onnx
