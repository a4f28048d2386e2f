#include "strata/core/patch.h"

#include <algorithm>

namespace strata {
namespace {

/// The fact a shunted wire has afterwards. Throws: internal when the two contradict each other.
Fact merged_fact(const Fact& old_fact, const Fact& new_fact, const std::string& where) {
  try {
    return meet(old_fact, new_fact);
  } catch (const Error& error) {
    fail(ErrorKind::internal, cat("a rewrite of ", in_quotes(where), " changes ", old_fact, " to ",
                                  new_fact, ": ", error.message()));
  }
}

/// Erases `id` when nobody reads it, and then what it alone read.
void erase_unread(TypedModel& model, std::uint32_t id) {
  SmallVector<std::uint32_t, 8> todo{id};
  while (!todo.empty()) {
    const std::uint32_t next = todo.back();
    todo.pop_back();
    const TypedNode& node = model.node(next);
    if (node.erased || model.is_read(next) || node.op.as<Source>()) continue;
    for (const OutletId input : node.inputs) todo.push_back(input.node);
    model.erase(next);
  }
}

}  // namespace

const Fact& Patch::fact_of(OutletId outlet) const {
  const std::size_t known = model_->nodes().size();
  return outlet.node < known ? model_->fact(outlet)
                             : nodes_[outlet.node - known].facts[outlet.slot];
}

OutletIds Patch::wire(std::string_view name, const TypedOp& op, const OutletIds& inputs) {
  SmallVector<const Fact*, 8> facts;
  for (const OutletId input : inputs) facts.push_back(&fact_of(input));
  FactList out = infer_facts(op, Facts(facts), symbols());
  const auto id = static_cast<std::uint32_t>(model_->nodes().size() + nodes_.size());
  OutletIds outlets;
  for (std::uint32_t slot = 0; slot < out.size(); ++slot) outlets.push_back({id, slot});
  nodes_.push_back({std::string(name), op, inputs, std::move(out)});
  return outlets;
}

FactList Patch::merged_facts() const {
  FactList merged;
  merged.reserve(shunts_.size());
  for (const auto& [old_wire, new_wire] : shunts_)
    merged.push_back(
        merged_fact(fact_of(old_wire), fact_of(new_wire), model_->node(old_wire.node).name));
  return merged;
}

void Patch::name_nodes(TypedModel& model, const std::vector<std::uint32_t>& ids,
                       const std::string& prefix) const {
  // The node's own name goes to the last one that asks for it.
  for (std::size_t i = nodes_.size(); i-- > 0;)
    if (nodes_[i].suffix.empty() && !model.node(ids[i]).erased)
      model.rename(ids[i], model.unique_name(prefix));
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::string& suffix = nodes_[i].suffix;
    if (!suffix.empty() && !model.node(ids[i]).erased)
      model.rename(ids[i], model.unique_name(prefix.empty() ? suffix : cat(prefix, '.', suffix)));
  }
}

std::vector<std::uint32_t> Patch::apply(TypedModel& model) {
  require(&model == model_, ErrorKind::internal, "a patch is applied to another model");
  FactList merged = merged_facts();
  const std::string prefix = named_after_ ? model.node(*named_after_).name : std::string();
  std::vector<std::uint32_t> touched;
  for (NewNode& node : nodes_)
    touched.push_back(
        model.add_unnamed_node(std::move(node.op), std::move(node.inputs), std::move(node.facts)));
  for (std::size_t i = 0; i < shunts_.size(); ++i) {
    const auto [old_wire, new_wire] = shunts_[i];
    for (const InletId reader : model.successors(old_wire)) touched.push_back(reader.node);
    model.redirect(old_wire, new_wire);
    if (!merged[i].is_same(model.fact(new_wire))) model.set_fact(new_wire, std::move(merged[i]));
    touched.push_back(new_wire.node);
  }
  for (const auto& [old_wire, new_wire] : shunts_) erase_unread(model, old_wire.node);
  for (std::size_t i = nodes_.size(); i-- > 0;)
    if (!model.is_read(touched[i])) erase_unread(model, touched[i]);
  name_nodes(model, touched, prefix);
  return touched;
}

Rewrite replace(const NodeView& node, const TypedOp& op, const OutletIds& inputs) {
  Patch patch(node);
  const OutletIds outlets = patch.wire("", op, inputs);
  for (std::uint32_t slot = 0; slot < node.output_count(); ++slot)
    patch.shunt(node.output(slot), outlets[slot]);
  return patch;
}

Rewrite bypass(const NodeView& node, OutletId wire) {
  Patch patch(node);
  patch.shunt(node.output(), wire);
  return patch;
}

Rewrite replace_by_constants(const NodeView& node, const ValueList& values) {
  Patch patch(node);
  for (std::uint32_t slot = 0; slot < node.output_count(); ++slot)
    patch.shunt(node.output(slot),
                patch.constant(slot == 0 ? "" : cat("output", slot), values[slot]));
  return patch;
}

}  // namespace strata
