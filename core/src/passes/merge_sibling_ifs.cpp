#include <algorithm>
#include <memory>

#include "inline_body.h"
#include "passes/if_edit.h"
#include "passes/own_symbols.h"
#include "passes/passes.h"
#include "passes/reachability.h"
#include "strata/core/ops/unary.h"

namespace strata {
namespace {

/// Beyond this many nodes a way from one If to the other is taken for granted.
constexpr std::size_t kMostVisited = 10'000;

/// How other nodes stand to one: it may depend on them, or they on it by more than reading its
/// outputs.
class Relations {
 public:
  Relations(const TypedModel& model, std::uint32_t id) {
    before_ = reached(model, next_nodes(model, id, Way::to_inputs), Way::to_inputs, kMostVisited);
    NodeList behind_readers;
    for (const std::uint32_t reader : next_nodes(model, id, Way::to_readers)) {
      const NodeList next = next_nodes(model, reader, Way::to_readers);
      behind_readers.insert(behind_readers.end(), next.begin(), next.end());
    }
    behind_ = reached(model, behind_readers, Way::to_readers, kMostVisited);
  }
  bool are_apart(std::uint32_t other) const { return !before_[other] && !behind_[other]; }

 private:
  std::vector<bool> before_, behind_;
};

/// All wires that are `root` or its negation.
OutletIds same_truths(const TypedModel& model, OutletId root) {
  OutletIds wires{root};
  for (std::size_t i = 0; i < wires.size(); ++i)
    for (const InletId reader : model.successors(wires[i])) {
      const Unary* op = model.node(reader.node).op.as<Unary>();
      if (op && op->op == UnaryOp::truth_not) wires.push_back({reader.node, 0});
    }
  return wires;
}

/// Another If on the same condition that can be decided along with this one.
std::optional<std::uint32_t> sibling_of(const NodeView& node) {
  const TypedModel& model = node.model;
  std::optional<Relations> relations;  // looked up where there is another If
  for (const OutletId wire : same_truths(model, truth_of(model, node.input(0)).root))
    for (const InletId reader : model.successors(wire)) {
      if (reader.slot != 0 || reader.node == node.id || !model.node(reader.node).op.as<If>())
        continue;
      if (!relations) relations.emplace(model, node.id);
      if (relations->are_apart(reader.node)) return reader.node;
    }
  return std::nullopt;
}

SymbolSet symbols_of(const NodeView& node) {
  const If& branches = *node.op().as<If>();
  return own_symbols(node, {branches.then_body.get(), branches.else_body.get()});
}

/// Two Ifs as one, the second of which may read outputs of the first.
class Merger {
 public:
  Merger(const NodeView& first, const NodeView& second)
      : first_(first),
        second_(second),
        captured_(first.inputs().begin() + 1, first.inputs().end()) {
    const If &a = *first.op().as<If>(), &b = *second.op().as<If>();
    bodies_ = {*a.then_body, *a.else_body};
    added_ = {b.then_body, b.else_body};
    if (truth_of(first.model, first.input(0)) != truth_of(second.model, second.input(0)))
      std::swap(added_[0], added_[1]);
  }

  Patch run() && {
    Patch patch(first_);
    for (std::size_t i = 1; i < second_.inputs().size(); ++i) capture(i);
    for (std::size_t k = 0; k < 2; ++k) add_second(k);
    const std::vector<std::size_t> kept = take_first_outputs();
    OutletIds wires{first_.input(0)};
    wires.insert(wires.end(), captured_.begin(), captured_.end());
    for (TypedModel& body : bodies_) body.compact();
    const OutletIds results = patch.wire("",
                                         If{std::make_shared<TypedModel>(std::move(bodies_[0])),
                                            std::make_shared<TypedModel>(std::move(bodies_[1]))},
                                         wires);
    for (std::size_t i = 0; i < kept.size(); ++i) patch.shunt(first_.output(kept[i]), results[i]);
    for (std::size_t i = 0; i < second_.output_count(); ++i)
      patch.shunt(second_.output(i), results[kept.size() + i]);
    return patch;
  }

 private:
  /// Brings input `i` of the second If into the bodies, unless it is there.
  void capture(std::size_t i) {
    const OutletId wire = second_.input(i);
    if (wire.node == first_.id) return;
    const bool is_new = std::find(captured_.begin(), captured_.end(), wire) == captured_.end();
    if (is_new) captured_.push_back(wire);
    for (std::size_t k = 0; k < 2; ++k) {
      const TypedNode& source = added_[k]->node(added_[k]->inputs()[i - 1].node);
      TypedModel& body = bodies_[k];
      const Fact fact = source.outputs[0].fact.without_value();
      if (is_new)
        body.add_source(body.unique_name(source.name), fact);
      else
        body.set_fact(source_of(k, wire), meet(body.fact(source_of(k, wire)), fact));
    }
  }

  OutletId source_of(std::size_t k, OutletId wire) const {
    if (wire.node == first_.id) return bodies_[k].outputs()[wire.slot].outlet;
    const auto at = std::find(captured_.begin(), captured_.end(), wire);
    return bodies_[k].inputs()[static_cast<std::size_t>(at - captured_.begin())];
  }

  void add_second(std::size_t k) {
    OutletIds inputs;
    for (std::size_t i = 1; i < second_.inputs().size(); ++i)
      inputs.push_back(source_of(k, second_.input(i)));
    TypedModel& body = bodies_[k];
    const OutletIds results = BodyInliner(*added_[k]).inline_into(body, inputs, second_.name());
    for (std::size_t i = 0; i < results.size(); ++i)
      body.add_output(cat(second_.name(), '.', added_[k]->outputs()[i].name), results[i]);
  }

  bool is_read_elsewhere(OutletId wire) const {
    const auto& readers = first_.model.successors(wire);
    return first_.model.is_output(wire) ||
           std::any_of(readers.begin(), readers.end(),
                       [&](const InletId reader) { return reader.node != second_.id; });
  }

  /// Drops outputs of the first If that only the second reads. Returns the others.
  std::vector<std::size_t> take_first_outputs() {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < first_.output_count(); ++i)
      if (is_read_elsewhere(first_.output(i))) kept.push_back(i);
    for (TypedModel& body : bodies_) {
      std::vector<GraphOutput> outputs;
      outputs.reserve(kept.size());
      for (const std::size_t i : kept) outputs.push_back(body.outputs()[i]);
      outputs.insert(outputs.end(),
                     body.outputs().begin() + static_cast<std::ptrdiff_t>(first_.output_count()),
                     body.outputs().end());
      body.set_outputs(std::move(outputs));
      body.remove_dead_nodes();
    }
    return kept;
  }

  NodeView first_, second_;
  OutletIds captured_;
  std::array<TypedModel, 2> bodies_;
  std::array<Body, 2>
      added_;  ///< of the second If, for when the first one's condition holds or not
};

}  // namespace

/// If(c, x..) of bodies f and g, If(c, y..) of bodies p and q -> If(c, x.., y..) of bodies
/// (f(x..), p(y..)) and (g(x..), q(y..)); p and q change places where the second is on not c
Rewrite merge_sibling_ifs(const NodeView& node, const Limits&) {
  if (!node.op().as<If>()) return no_change;
  const auto sibling = sibling_of(node);
  if (!sibling) return no_change;
  const NodeView second{node.model, *sibling};
  if (share_symbols(symbols_of(node), symbols_of(second))) return no_change;
  try {
    return Merger(node, second).run();
  } catch (const Error& error) {
    // A branch that does not fit what the other If gives it fails when it is taken, not before.
    if (error.kind() != ErrorKind::invalid_model) throw;
    return no_change;
  }
}

}  // namespace strata
