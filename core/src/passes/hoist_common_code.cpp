#include <algorithm>
#include <unordered_map>

#include "passes/if_edit.h"
#include "passes/passes.h"

namespace strata {
namespace {

/// Larger constants of two bodies are not compared.
constexpr std::size_t kComparedBytes = 1 << 16;

/// What a node of a body reads, seen from outside: an outer wire, or a constant of the body.
struct Operand {
  OutletId wire = kAbsent;
  const TypedNode* constant = nullptr;
};

bool is_comparable(const Const& constant) {
  return constant.value->is_tensor() && constant.value->tensor().byte_size() <= kComparedBytes;
}

bool is_hoistable(const TypedNode& node) {
  return !node.erased && !node.op.as<Source>() && !node.op.as<Const>() && !node.op.is_stateful();
}

bool is_same(const Operand& a, const Operand& b) {
  if (a.constant && b.constant) return a.constant->op == b.constant->op;
  return !a.constant && !b.constant && a.wire == b.wire;
}

/// Moves what both bodies of an If compute before it.
class CommonCode {
 public:
  CommonCode(const NodeView& node, const If& branch) : edit_(node, branch) {}

  Rewrite run() && {
    if (reads_in_common()) hoist_all();
    if (pairs_.empty() && !has_common_output()) return no_change;
    for (const Pair& pair : pairs_)
      for (std::uint32_t slot = 0; slot < pair.outer.size(); ++slot) bring_in(pair, slot);
    return std::move(edit_).finish();
  }

 private:
  using Hoisted = std::unordered_map<std::uint32_t, OutletIds>;
  /// A node of either body, and the wires it has outside.
  struct Pair {
    std::array<std::uint32_t, 2> ids;
    OutletIds outer;
  };

  /// Whether both bodies read some captured value: any common code begins at one.
  bool reads_in_common() const {
    HashIndex read;
    for (std::uint32_t i = 0; i < edit_.captured(); ++i)
      if (is_computed_with(Branch::then_body, i)) read.insert(edit_.outer(i).node, i);
    for (std::size_t k = 0; k < edit_.captured(); ++k)
      if (is_computed_with(Branch::else_body, k) &&
          read.find(edit_.outer(k).node,
                    [&](std::uint32_t i) { return edit_.outer(i) == edit_.outer(k); }))
        return true;
    return false;
  }
  bool is_computed_with(Branch branch, std::size_t captured) const {
    return !edit_.body(branch).successors(edit_.source(branch, captured)).empty();
  }

  void hoist_all() {
    const TypedModel& other = edit_.body(Branch::else_body);
    by_op_.reserve(other.live_nodes());
    for (std::uint32_t id = 0; id < other.nodes().size(); ++id) add_candidate(id);
    for (const std::uint32_t id : edit_.body(Branch::then_body).order()) hoist(id);
  }

  bool has_common_output() const {
    for (std::size_t i = 0; i < edit_.node().output_count(); ++i)
      if (edit_.is_common_output(i)) return true;
    return false;
  }

  std::optional<Operand> operand(Branch branch, OutletId wire) const {
    const Hoisted& hoisted = hoisted_[static_cast<std::size_t>(branch)];
    if (const auto at = hoisted.find(wire.node); at != hoisted.end())
      return Operand{at->second[wire.slot]};
    const TypedNode& maker = edit_.body(branch).node(wire.node);
    if (const Const* constant = maker.op.as<Const>())
      return is_comparable(*constant) ? std::optional(Operand{kAbsent, &maker}) : std::nullopt;
    const auto outer = edit_.outside(branch, wire);
    return outer ? std::optional(Operand{*outer}) : std::nullopt;
  }

  using Operands = SmallVector<Operand, 4>;
  std::optional<Operands> operands(Branch branch, std::uint32_t id) const {
    Operands out;
    for (const OutletId input : edit_.body(branch).node(id).inputs) {
      const auto found = operand(branch, input);
      if (!found) return std::nullopt;
      out.push_back(*found);
    }
    return out;
  }

  /// The first wire other than a constant that a node of the else body reads.
  std::optional<OutletId> first_wire(std::uint32_t id) const {
    const TypedModel& body = edit_.body(Branch::else_body);
    for (const OutletId input : body.node(id).inputs)
      if (!body.node(input.node).op.as<Const>()) return input;
    return std::nullopt;
  }
  static std::size_t key_of(const TypedOp& op, OutletId wire) {
    return mixed_hash(mixed_hash(op.hash(), wire.node), wire.slot);
  }
  /// Indexes a node of the else body by its op and its first wire as seen from outside, if that is
  /// known.
  void add_candidate(std::uint32_t id) {
    const TypedNode& node = edit_.body(Branch::else_body).node(id);
    const auto wire = is_hoistable(node) ? first_wire(id) : std::nullopt;
    const auto outer = wire ? operand(Branch::else_body, *wire) : std::nullopt;
    if (outer) by_op_.insert(key_of(node.op, outer->wire), id);
  }

  /// The node of the other body that computes the same of `inputs`, whose first wire is `first`.
  std::optional<std::uint32_t> twin(const TypedOp& op, const Operands& inputs,
                                    OutletId first) const {
    return by_op_.find(key_of(op, first), [&](std::uint32_t id) {
      if (edit_.body(Branch::else_body).node(id).op != op) return false;
      const auto others = operands(Branch::else_body, id);
      return others &&
             std::equal(inputs.begin(), inputs.end(), others->begin(), others->end(), is_same);
    });
  }

  void hoist(std::uint32_t id) {
    const TypedNode& node = edit_.body(Branch::then_body).node(id);
    if (!is_hoistable(node)) return;
    const auto inputs = operands(Branch::then_body, id);
    if (!inputs) return;
    const auto first = std::find_if(inputs->begin(), inputs->end(),
                                    [](const Operand& input) { return !input.wire.is_absent(); });
    if (first == inputs->end()) return;
    const auto other = twin(node.op, *inputs, first->wire);
    if (!other) return;
    OutletIds wires;
    for (const Operand& input : *inputs)
      wires.push_back(input.constant ? constant_outside(*input.constant) : input.wire);
    const OutletIds outer = edit_.patch().wire(node.name, node.op, wires);
    hoisted_[0][id] = hoisted_[1][*other] = outer;
    for (const OutletId wire : edit_.body(Branch::else_body).outlets_of(*other))
      for (const InletId reader : edit_.body(Branch::else_body).successors(wire))
        if (first_wire(reader.node) == wire) add_candidate(reader.node);
    pairs_.push_back({{id, *other}, outer});
  }

  OutletId constant_outside(const TypedNode& constant) {
    const auto [at, is_new] = constants_.try_emplace(&constant);
    if (is_new) at->second = edit_.patch().constant(constant.name, constant.op.as<Const>()->value);
    return at->second;
  }

  bool is_read(Branch branch, OutletId wire) const {
    const TypedModel& body = edit_.body(branch);
    const Hoisted& hoisted = hoisted_[static_cast<std::size_t>(branch)];
    for (const InletId reader : body.successors(wire))
      if (!hoisted.contains(reader.node)) return true;
    return body.is_output(wire);
  }

  void bring_in(const Pair& pair, std::uint32_t slot) {
    const OutletId then_wire{pair.ids[0], slot}, else_wire{pair.ids[1], slot};
    if (!is_read(Branch::then_body, then_wire) && !is_read(Branch::else_body, else_wire)) return;
    const std::string name = cat(edit_.body(Branch::then_body).node(pair.ids[0]).name, ".before");
    edit_.capture(pair.outer[slot], name, {then_wire, else_wire});
  }

  IfEdit edit_;
  HashIndex by_op_;  ///< nodes of the else body
  std::array<Hoisted, 2> hoisted_;
  std::vector<Pair> pairs_;
  std::unordered_map<const TypedNode*, OutletId> constants_;
};

}  // namespace

/// If(c, x) of bodies f(h(x)) and g(h(x)) -> y = h(x), If(c, y) of bodies f(y) and g(y); outputs
/// that both bodies give from outside -> those wires
Rewrite hoist_common_code(const NodeView& node, const Limits&) {
  const If* branch = node.op().as<If>();
  if (!branch) return no_change;
  return CommonCode(node, *branch).run();
}

}  // namespace strata
