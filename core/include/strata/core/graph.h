#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/core/error.h"
#include "strata/core/hash_index.h"
#include "strata/core/node.h"

namespace strata {

/// Nodes in one vector, joined by wires.
///
/// Semantics. Node i's inputs name outlets; each outlet knows its successors. Names are unique. The
/// graph's inputs are the outlets of its source nodes, in the order the caller passes values; its
/// outputs carry names of their own. A rewritten graph holds erased nodes until `compact`, so ids
/// stay valid while a pass runs. Ids are in no particular order; `order()` gives one in which every
/// node follows its inputs.
template <class Fact, class Op>
class Graph {
 public:
  using NodeType = Node<Fact, Op>;

  const std::vector<NodeType>& nodes() const { return nodes_; }
  const NodeType& node(std::uint32_t id) const { return nodes_[id]; }
  const Fact& fact(OutletId outlet) const { return at(outlet).fact; }
  const InletIds& successors(OutletId outlet) const { return at(outlet).successors; }
  OutletIds outlets_of(std::uint32_t id) const {
    OutletIds outlets;
    for (std::uint32_t slot = 0; slot < nodes_[id].outputs.size(); ++slot)
      outlets.push_back({id, slot});
    return outlets;
  }
  const OutletIds& inputs() const { return inputs_; }
  const std::vector<GraphOutput>& outputs() const { return outputs_; }
  bool is_output(OutletId outlet) const { return at(outlet).first_output != kNoOutput; }
  bool is_input(std::uint32_t id) const { return nodes_[id].is_input; }
  /// Nodes that are not erased.
  std::size_t live_nodes() const { return nodes_.size() - erased_; }

  /// Whether some node has this name.
  bool has_name(std::string_view name) const { return is_taken(name, name_hash(name)); }
  /// `base`, or `base.1`, `base.2`, … when it is taken.
  std::string unique_name(std::string_view base) const { return free_name(base).text; }

  /// Makes room for `more` nodes, where their number is known ahead.
  void expect_nodes(std::size_t more) {
    nodes_.reserve(nodes_.size() + more);
    names_.reserve(nodes_.size() + more);
  }
  /// Adds a node whose name must be new. Throws: invalid_model when the name is taken or a wire
  /// does not exist.
  std::uint32_t add_node(std::string name, Op op, OutletIds inputs, std::vector<Fact> facts) {
    const std::size_t hash = name_hash(name);
    check(!is_taken(name, hash), "two nodes are named ", in_quotes(name));
    return add({std::move(name), hash}, std::move(op), std::move(inputs), std::move(facts));
  }
  /// Adds a node under `base` or, when that is taken, `base.1`, `base.2`, …
  std::uint32_t add_node_like(std::string_view base, Op op, OutletIds inputs,
                              std::vector<Fact> facts) {
    return add(free_name(base), std::move(op), std::move(inputs), std::move(facts));
  }
  /// Adds a node for `name_like` to name later.
  std::uint32_t add_unnamed_node(Op op, OutletIds inputs, std::vector<Fact> facts) {
    return append({}, std::move(op), std::move(inputs), std::move(facts));
  }

  void add_input(OutletId outlet) {
    inputs_.push_back(outlet);
    nodes_[outlet.node].is_input = true;
  }
  void add_output(std::string name, OutletId outlet) {
    check_output(name, outlet);
    outputs_.push_back({std::move(name), outlet});
    next_outputs_.push_back(kNoOutput);
    attach_output(static_cast<std::uint32_t>(outputs_.size() - 1), outlet);
  }
  void set_inputs(OutletIds inputs) {
    for (const OutletId input : inputs_)
      if (input.node < nodes_.size()) nodes_[input.node].is_input = false;
    inputs_ = std::move(inputs);
    for (const OutletId input : inputs_) nodes_[input.node].is_input = true;
  }
  void set_outputs(std::vector<GraphOutput> outputs) {
    for (const GraphOutput& output : outputs) check_output(output.name, output.outlet);
    for (const GraphOutput& output : outputs_)
      if (exists(output.outlet)) at(output.outlet).first_output = kNoOutput;
    outputs_ = std::move(outputs);
    next_outputs_.assign(outputs_.size(), kNoOutput);
    for (std::uint32_t i = 0; i < outputs_.size(); ++i) attach_output(i, outputs_[i].outlet);
  }
  void set_fact(OutletId outlet, Fact fact) {
    auto& changed = at(outlet);
    changed.fact = std::move(fact);
    for (const InletId reader : changed.successors) nodes_[reader.node].is_stale = true;
  }
  void set_op(std::uint32_t id, Op op) {
    nodes_[id].op = std::move(op);
    nodes_[id].is_stale = true;
  }
  /// Notes that the facts of the node's outputs are up to date with those of its inputs.
  void settle(std::uint32_t id) { nodes_[id].is_stale = false; }
  /// Names a node `base` or, when that is taken, `base.1`, `base.2`, …; an earlier name is free
  /// again.
  void name_like(std::uint32_t id, std::string_view base) {
    forget_name(id);
    set_name(id, free_name(base));
  }

  /// Makes every reader of `from`, graph outputs included, read `to`.
  void redirect(OutletId from, OutletId to) {
    const InletIds moved = std::exchange(at(from).successors, {});
    InletIds& target = at(to).successors;
    const bool is_same = moved.empty() || fact(from).is_same(fact(to));
    for (const InletId inlet : moved) {
      is_in_order_ &= to.node < inlet.node;
      nodes_[inlet.node].is_stale |= !is_same;
      nodes_[inlet.node].inputs[inlet.slot] = to;
      nodes_[inlet.node].places[inlet.slot] = static_cast<std::uint32_t>(target.size());
      target.push_back(inlet);
    }
    std::uint32_t output = std::exchange(at(from).first_output, kNoOutput);
    while (output != kNoOutput) {
      const std::uint32_t next = next_outputs_[output];
      outputs_[output].outlet = to;
      attach_output(output, to);
      output = next;
    }
  }

  /// Replaces the op and the inputs of a node; its outputs stay, and so do their facts, which must
  /// hold for the new op too.
  void replace_in_place(std::uint32_t id, Op op, OutletIds inputs) {
    unlink(id);
    NodeType& node = nodes_[id];
    node.op = std::move(op);
    node.inputs = std::move(inputs);
    node.is_stale = false;
    link(id);
  }

  /// Erases a node that nobody reads.
  void erase(std::uint32_t id) {
    unlink(id);
    forget_name(id);
    nodes_[id] = NodeType{};
    nodes_[id].erased = true;
    ++erased_;
  }

  /// Whether some node or graph output reads an outlet of `id`.
  bool is_read(std::uint32_t id) const {
    for (const auto& outlet : nodes_[id].outputs)
      if (!outlet.successors.empty() || outlet.first_output != kNoOutput) return true;
    return false;
  }

  /// Ids of the live nodes, every node after its inputs; ties in the order they were added.
  /// Throws: invalid_model when the graph has a cycle.
  std::vector<std::uint32_t> order() const {
    if (is_in_order_) return live_ids();
    std::vector<std::uint32_t> missing(nodes_.size(), 0), ready, out;
    ready.reserve(live_nodes());
    out.reserve(live_nodes());
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
  bool exists(OutletId outlet) const {
    return outlet.node < nodes_.size() && outlet.slot < nodes_[outlet.node].outputs.size();
  }

  /// Whether the nodes are known to lie in order, each after its inputs.
  bool is_in_order() const { return is_in_order_; }
  /// Drops erased nodes and gives the others the places they have in `ids`, which lists them all.
  void reorder(const std::vector<std::uint32_t>& ids) {
    std::vector<std::uint32_t> position(nodes_.size(), UINT32_MAX);
    for (std::uint32_t i = 0; i < ids.size(); ++i) position[ids[i]] = i;
    const auto move = [&](OutletId& outlet) {
      if (!outlet.is_absent()) outlet.node = position[outlet.node];
    };
    std::vector<NodeType> moved;
    moved.reserve(ids.size() + ids.size() / 4 + 4);  // room for what a pass adds next
    for (const std::uint32_t id : ids) {
      NodeType& node = moved.emplace_back(std::move(nodes_[id]));
      for (OutletId& input : node.inputs) move(input);
      for (auto& outlet : node.outputs)
        for (InletId& reader : outlet.successors) reader.node = position[reader.node];
    }
    for (OutletId& input : inputs_) move(input);
    for (GraphOutput& output : outputs_) move(output.outlet);
    names_.renumber(position);
    nodes_ = std::move(moved);
    erased_ = 0;
    is_in_order_ = true;
  }

  std::vector<NodeType> nodes_;

 private:
  static constexpr std::uint32_t kNoOutput = Outlet<Fact>::kNoOutput;

  Outlet<Fact>& at(OutletId outlet) { return nodes_[outlet.node].outputs[outlet.slot]; }
  const Outlet<Fact>& at(OutletId outlet) const { return nodes_[outlet.node].outputs[outlet.slot]; }
  void check_output(std::string_view name, OutletId outlet) const {
    require(exists(outlet), ErrorKind::invalid_argument, "output ", in_quotes(name),
            " is of a wire that is not there");
  }
  /// Puts output `i` before the other outputs of its wire.
  void attach_output(std::uint32_t i, OutletId outlet) {
    next_outputs_[i] = std::exchange(at(outlet).first_output, i);
  }
  std::vector<std::uint32_t> live_ids() const {
    std::vector<std::uint32_t> out;
    out.reserve(live_nodes());
    for (std::uint32_t id = 0; id < nodes_.size(); ++id)
      if (!nodes_[id].erased) out.push_back(id);
    return out;
  }
  struct Name {
    std::string text;
    std::size_t hash;
  };

  bool is_taken(std::string_view name, std::size_t hash) const {
    return names_.find(hash, [&](std::uint32_t id) { return nodes_[id].name == name; }).has_value();
  }
  /// `base` itself, for 0, or with a number.
  Name numbered(std::string_view base, std::size_t number) const {
    Name name{std::string(base), 0};
    if (number > 0) name.text += cat('.', number);
    name.hash = name_hash(name.text);
    return name;
  }
  /// `base`, or the same with a number that is found by doubling and halving: thousands may be taken.
  Name free_name(std::string_view base) const {
    std::size_t taken = 0, free = 0;  // 0: as yet unknown
    for (std::size_t tried = 0;; tried = free == 0 ? 2 * taken + 1 : taken + (free - taken) / 2) {
      Name name = numbered(base, tried);
      const bool is_free = !is_taken(name.text, name.hash);
      if (is_free && (tried == 0 || tried == taken + 1)) return name;
      (is_free ? free : taken) = tried;
      if (free == taken + 1) return numbered(base, free);
    }
  }
  /// Adds a node under a name that nobody has.
  std::uint32_t add(Name name, Op op, OutletIds inputs, std::vector<Fact> facts) {
    const std::uint32_t id = append(name.text, std::move(op), std::move(inputs), std::move(facts));
    set_name(id, std::move(name));
    return id;
  }
  void forget_name(std::uint32_t id) {
    const std::string& name = nodes_[id].name;
    if (!name.empty()) names_.erase(name_hash(name), id);
  }
  void set_name(std::uint32_t id, Name name) {
    names_.insert(name.hash, id);
    nodes_[id].name = std::move(name.text);
  }
  /// Adds an unnamed node, also to the readers of its inputs; errors call it `called`.
  std::uint32_t append(std::string_view called, Op op, OutletIds inputs, std::vector<Fact> facts) {
    const auto id = static_cast<std::uint32_t>(nodes_.size());
    for (const OutletId input : inputs)
      check(input.is_absent() || exists(input), "node ", in_quotes(called),
            " reads a wire that does not exist");
    NodeType& node = nodes_.emplace_back();
    node.op = std::move(op);
    node.inputs = std::move(inputs);
    node.outputs.reserve(facts.size());
    for (Fact& fact : facts) node.outputs.push_back({std::move(fact), {}});
    link(id);
    return id;
  }
  /// Adds a node to the readers of its inputs.
  void link(std::uint32_t id) {
    NodeType& node = nodes_[id];
    node.places.resize(node.inputs.size());
    for (std::uint32_t slot = 0; slot < node.inputs.size(); ++slot) {
      if (node.inputs[slot].is_absent()) continue;
      is_in_order_ &= node.inputs[slot].node < id;
      InletIds& readers = at(node.inputs[slot]).successors;
      node.places[slot] = static_cast<std::uint32_t>(readers.size());
      readers.push_back({id, slot});
    }
  }
  /// Takes it out of them again.
  void unlink(std::uint32_t id) {
    const NodeType& node = nodes_[id];
    for (std::uint32_t slot = 0; slot < node.inputs.size(); ++slot) {
      if (node.inputs[slot].is_absent()) continue;
      // The last reader takes the place of this one.
      InletIds& readers = at(node.inputs[slot]).successors;
      const InletId last = readers.back();
      readers[node.places[slot]] = last;
      nodes_[last.node].places[last.slot] = node.places[slot];
      readers.pop_back();
    }
  }

  OutletIds inputs_;
  std::vector<GraphOutput> outputs_;
  std::vector<std::uint32_t> next_outputs_;  ///< for each output another of its wire, or none
  HashIndex names_;
  std::size_t erased_ = 0;
  bool is_in_order_ = true;
};

}  // namespace strata
