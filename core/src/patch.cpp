#include "strata/core/patch.h"

#include <algorithm>

#include "node_facts.h"
#include "strata/core/builder.h"

namespace strata {
namespace {

/// Whether the op of a wire would give it this fact, whatever the model says of it.
bool op_allows(const TypedModel& model, OutletId wire, const Fact& fact) {
  const TypedNode& node = model.node(wire.node);
  if (node.op.has_kernel()) return false;
  const FactList inferred = infer_facts(node.op, model.facts_of(node.inputs), model.symbols());
  return compatible(inferred[wire.slot], fact);
}

/// The fact a shunted wire has afterwards. Throws when the two contradict each other: invalid_model
/// if what the model says of the wire is more than its op gives, else internal.
Fact merged_fact(const TypedModel& model, OutletId wire, const Fact& found) {
  const Fact& known = model.fact(wire);
  try {
    return meet(known, found);
  } catch (const Error& error) {
    if (op_allows(model, wire, found)) return agreed_fact(wire.slot, known, found);
    fail(ErrorKind::internal, "a rewrite of ", in_quotes(model.node(wire.node).name), " changes ",
         known, " to ", found, ": ", error.message());
  }
}

}  // namespace

Patch::Patch(Patch&&) noexcept = default;
Patch& Patch::operator=(Patch&&) noexcept = default;
Patch::~Patch() = default;

const Fact& Patch::fact_of(OutletId outlet) const {
  const std::size_t known = model_->nodes().size();
  return outlet.node < known ? model_->fact(outlet)
                             : nodes_[outlet.node - known].facts[outlet.slot];
}

OutletIds Patch::wire(std::string_view name, TypedOp op, const OutletIds& inputs) {
  FactList out = infer_facts(op, facts_of(inputs), symbols());
  return wire_as(name, std::move(op), inputs, std::move(out));
}

OutletIds Patch::wire_as(std::string_view name, TypedOp op, const OutletIds& inputs,
                         FactList facts) {
  const auto id = static_cast<std::uint32_t>(model_->nodes().size() + nodes_.size());
  OutletIds outlets;
  for (std::uint32_t slot = 0; slot < facts.size(); ++slot) outlets.push_back({id, slot});
  nodes_.push_back({std::string(name), std::move(op), inputs, std::move(facts)});
  return outlets;
}

FactList Patch::merged_facts() const {
  const auto is_same = [&](const Shunt& shunt) {
    return fact_of(shunt.from).is_same(fact_of(shunt.to));
  };
  FactList merged;
  if (std::all_of(shunts_.begin(), shunts_.end(), is_same)) return merged;
  merged.reserve(shunts_.size());
  for (const auto& [from, to] : shunts_) merged.push_back(merged_fact(*model_, from, fact_of(to)));
  return merged;
}

void Patch::name_nodes(TypedModel& model, const NodeIds& ids, const std::string& prefix) const {
  bool is_last = true;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    if (!nodes_[i].suffix.empty() || model.node(ids[i]).erased) continue;
    model.name_like(ids[i], is_last ? prefix : part_name(prefix, model.node(ids[i]).op));
    is_last = false;
  }
  std::string name = prefix;
  if (!name.empty()) name += '.';
  const std::size_t begin = name.size();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].suffix.empty() || model.node(ids[i]).erased) continue;
    name.replace(begin, std::string::npos, nodes_[i].suffix);
    model.name_like(ids[i], name);
  }
}

std::optional<std::uint32_t> Patch::replaced_node() const {
  if (nodes_.size() != 1 || !nodes_[0].suffix.empty() || !named_after_) return std::nullopt;
  const std::uint32_t id = *named_after_;
  const auto count = static_cast<std::uint32_t>(nodes_[0].facts.size());
  if (model_->node(id).outputs.size() != count || shunts_.size() != count) return std::nullopt;
  const auto added = static_cast<std::uint32_t>(model_->nodes().size());
  for (std::uint32_t slot = 0; slot < count; ++slot)
    if (shunts_[slot] != Shunt{{id, slot}, {added, slot}}) return std::nullopt;
  const auto& inputs = nodes_[0].inputs;
  const bool reads_it = std::any_of(inputs.begin(), inputs.end(),
                                    [&](const OutletId input) { return input.node == id; });
  return reads_it ? std::nullopt : std::optional(id);
}

Patch::NodeIds Patch::replace_in_place(TypedModel& model, std::uint32_t id, FactList merged) {
  const OutletIds before = model.node(id).inputs;
  model.replace_in_place(id, std::move(nodes_[0].op), std::move(nodes_[0].inputs));
  NodeIds touched{id};
  for (const auto& outlet : model.node(id).outputs)
    for (const InletId reader : outlet.successors) touched.push_back(reader.node);
  for (std::uint32_t slot = 0; slot < merged.size(); ++slot)
    if (!merged[slot].is_same(model.fact({id, slot})))
      model.set_fact({id, slot}, std::move(merged[slot]));
  for (const OutletId input : before) model.erase_unread(input.node);
  return touched;
}

Patch::NodeIds Patch::apply(TypedModel& model) {
  require(&model == model_, ErrorKind::internal, "a patch is applied to another model");
  FactList merged = merged_facts();
  if (const auto id = replaced_node()) return replace_in_place(model, *id, std::move(merged));
  const std::string prefix = named_after_ ? model.node(*named_after_).name : std::string();
  NodeIds touched;
  for (NewNode& node : nodes_)
    touched.push_back(
        model.add_unnamed_node(std::move(node.op), std::move(node.inputs), std::move(node.facts)));
  for (const auto& [from, to] : shunts_) {
    for (const InletId reader : model.successors(from)) touched.push_back(reader.node);
    model.redirect(from, to);
    touched.push_back(to.node);
  }
  for (std::size_t i = 0; i < merged.size(); ++i)
    if (!merged[i].is_same(model.fact(shunts_[i].to)))
      model.set_fact(shunts_[i].to, std::move(merged[i]));
  for (const Shunt& shunt : shunts_) model.erase_unread(shunt.from.node);
  for (std::size_t i = nodes_.size(); i-- > 0;) model.erase_unread(touched[i]);
  name_nodes(model, touched, prefix);
  return touched;
}

Rewrite replace(const NodeView& node, TypedOp op, const OutletIds& inputs) {
  Patch patch(node);
  const OutletIds outlets = op.has_kernel()
                                ? patch.wire_as("", std::move(op), inputs, facts_of(node.node()))
                                : patch.wire("", std::move(op), inputs);
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
