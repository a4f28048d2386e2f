#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "strata/core/error.h"

namespace strata {

/// A wire: output `slot` of node `node`. The sentinel `kAbsent` stands for an optional input that
/// is left out.
struct OutletId {
  std::uint32_t node = UINT32_MAX;
  std::uint32_t slot = 0;
  auto operator<=>(const OutletId&) const = default;
  bool is_absent() const { return node == UINT32_MAX; }
};
inline constexpr OutletId kAbsent{};
using OutletIds = std::vector<OutletId>;

/// Input `slot` of node `node`.
struct InletId {
  std::uint32_t node = 0;
  std::uint32_t slot = 0;
  auto operator<=>(const InletId&) const = default;
};

template <class Fact>
struct Outlet {
  Fact fact;
  std::vector<InletId> successors;
};

template <class Fact, class Op>
struct Node {
  std::string name;
  Op op;
  OutletIds inputs;
  std::vector<Outlet<Fact>> outputs;
  bool erased = false;
  std::vector<std::uint32_t> places;  ///< of the node among the readers of each input
};

struct GraphOutput {
  std::string name;
  OutletId outlet;
};

/// Nodes in one vector, joined by wires.
///
/// Semantics. Node i's inputs name outlets; each outlet knows its successors. Names are unique. The
/// graph's inputs are the outlets of its source nodes, in the order the caller passes values; its
/// outputs carry names of their own. A rewritten graph holds erased nodes until `compact`, so ids
/// stay valid while a pass runs; ids are in no particular order, `order()` gives one in which every
/// node follows its inputs.
template <class Fact, class Op>
class Graph {
 public:
  using NodeType = Node<Fact, Op>;

  const std::vector<NodeType>& nodes() const { return nodes_; }
  const NodeType& node(std::uint32_t id) const { return nodes_[id]; }
  const Fact& fact(OutletId outlet) const { return nodes_[outlet.node].outputs[outlet.slot].fact; }
  const std::vector<InletId>& successors(OutletId outlet) const {
    return nodes_[outlet.node].outputs[outlet.slot].successors;
  }
  const OutletIds& inputs() const { return inputs_; }
  const std::vector<GraphOutput>& outputs() const { return outputs_; }
  bool is_output(OutletId outlet) const {
    return std::any_of(outputs_.begin(), outputs_.end(),
                       [&](const GraphOutput& o) { return o.outlet == outlet; });
  }
  /// Nodes that are not erased.
  std::size_t live_nodes() const { return nodes_.size() - erased_; }

  /// `base`, or `base.1`, `base.2`, … when it is taken.
  std::string unique_name(std::string_view base) const {
    std::string name(base);
    for (std::size_t i = 1; names_.contains(name); ++i) name = cat(base, '.', i);
    return name;
  }

  /// Adds a node whose name nobody has. Throws: invalid_model when the name is taken or a wire does
  /// not exist.
  std::uint32_t add_node(std::string name, Op op, OutletIds inputs, std::vector<Fact> facts) {
    check(names_.insert(name).second, "two nodes are named ", in_quotes(name));
    const auto id = static_cast<std::uint32_t>(nodes_.size());
    std::vector<std::uint32_t> places(inputs.size(), 0);
    for (std::uint32_t slot = 0; slot < inputs.size(); ++slot) {
      if (inputs[slot].is_absent()) continue;
      check(exists(inputs[slot]), "node ", in_quotes(name), " reads a wire that does not exist");
      auto& readers = readers_of(inputs[slot]);
      places[slot] = static_cast<std::uint32_t>(readers.size());
      readers.push_back({id, slot});
    }
    NodeType node{std::move(name), std::move(op), std::move(inputs), {}, false, std::move(places)};
    node.outputs.reserve(facts.size());
    for (Fact& fact : facts) node.outputs.push_back({std::move(fact), {}});
    nodes_.push_back(std::move(node));
    return id;
  }

  void add_input(OutletId outlet) { inputs_.push_back(outlet); }
  void add_output(std::string name, OutletId outlet) {
    outputs_.push_back({std::move(name), outlet});
  }
  void set_inputs(OutletIds inputs) { inputs_ = std::move(inputs); }
  void set_outputs(std::vector<GraphOutput> outputs) { outputs_ = std::move(outputs); }
  void set_fact(OutletId outlet, Fact fact) {
    nodes_[outlet.node].outputs[outlet.slot].fact = std::move(fact);
  }
  void set_op(std::uint32_t id, Op op) { nodes_[id].op = std::move(op); }
  void rename(std::uint32_t id, std::string name) {
    names_.erase(nodes_[id].name);
    nodes_[id].name = std::move(name);
    names_.insert(nodes_[id].name);
  }

  /// Makes every reader of `from`, graph outputs included, read `to`.
  void redirect(OutletId from, OutletId to) {
    auto moved = std::exchange(nodes_[from.node].outputs[from.slot].successors, {});
    auto& target = nodes_[to.node].outputs[to.slot].successors;
    for (const InletId inlet : moved) {
      nodes_[inlet.node].inputs[inlet.slot] = to;
      nodes_[inlet.node].places[inlet.slot] = static_cast<std::uint32_t>(target.size());
      target.push_back(inlet);
    }
    for (GraphOutput& output : outputs_)
      if (output.outlet == from) output.outlet = to;
  }

  /// Takes out a node that nobody reads.
  void erase(std::uint32_t id) {
    NodeType& node = nodes_[id];
    for (std::uint32_t slot = 0; slot < node.inputs.size(); ++slot) {
      if (node.inputs[slot].is_absent()) continue;
      // The last reader takes the place of this one.
      auto& readers = readers_of(node.inputs[slot]);
      const InletId last = readers.back();
      readers[node.places[slot]] = last;
      nodes_[last.node].places[last.slot] = node.places[slot];
      readers.pop_back();
    }
    names_.erase(node.name);
    node = NodeType{};
    node.erased = true;
    ++erased_;
  }

  /// Whether some node or graph output reads an outlet of `id`.
  bool is_read(std::uint32_t id) const {
    for (const auto& outlet : nodes_[id].outputs)
      if (!outlet.successors.empty()) return true;
    return std::any_of(outputs_.begin(), outputs_.end(),
                       [&](const GraphOutput& o) { return o.outlet.node == id; });
  }

  /// Ids of the live nodes, every node after its inputs; ties in the order they were added.
  /// Throws: invalid_model when the graph has a cycle.
  std::vector<std::uint32_t> order() const {
    std::vector<std::uint32_t> missing(nodes_.size(), 0), ready, out;
    for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
      for (const OutletId in : nodes_[id].inputs) missing[id] += !in.is_absent();
      if (missing[id] == 0 && !nodes_[id].erased) ready.push_back(id);
    }
    // A heap of ready ids keeps ties in insertion order.
    const auto later = std::greater<>{};
    std::make_heap(ready.begin(), ready.end(), later);
    while (!ready.empty()) {
      std::pop_heap(ready.begin(), ready.end(), later);
      const std::uint32_t id = ready.back();
      ready.pop_back();
      out.push_back(id);
      for (const auto& outlet : nodes_[id].outputs)
        for (const InletId reader : outlet.successors)
          if (--missing[reader.node] == 0) {
            ready.push_back(reader.node);
            std::push_heap(ready.begin(), ready.end(), later);
          }
    }
    check(out.size() == live_nodes(), "the graph has a cycle");
    return out;
  }

 protected:
  std::vector<InletId>& readers_of(OutletId outlet) {
    return nodes_[outlet.node].outputs[outlet.slot].successors;
  }
  bool exists(OutletId outlet) const {
    return outlet.node < nodes_.size() && outlet.slot < nodes_[outlet.node].outputs.size();
  }

  std::vector<NodeType> nodes_;
  OutletIds inputs_;
  std::vector<GraphOutput> outputs_;
  std::unordered_set<std::string> names_;
  std::size_t erased_ = 0;
};

}  // namespace strata
