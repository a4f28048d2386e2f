#include "passes/if_edit.h"

#include "strata/core/ops/unary.h"

namespace strata {

Truth truth_of(const TypedModel& model, OutletId wire) {
  Truth truth{wire};
  for (;;) {
    const TypedNode& maker = model.node(truth.root.node);
    const Unary* op = maker.op.as<Unary>();
    if (!op || op->op != UnaryOp::truth_not) return truth;
    truth = {maker.inputs[0], !truth.negated};
  }
}

IfEdit::IfEdit(const NodeView& node, const If& branch)
    : node_(node),
      patch_(node),
      bodies_{BodyDraft(branch.then_body), BodyDraft(branch.else_body)},
      captured_(node.inputs().begin() + 1, node.inputs().end()) {}

std::optional<OutletId> IfEdit::outside(Branch branch, OutletId wire) const {
  std::optional<InputPlaces>& places = places_[index(branch)];
  if (!places) places.emplace(body(branch));
  const auto place = places->of(wire);
  return place ? std::optional(outer(*place)) : std::nullopt;
}

void IfEdit::capture(OutletId outer, std::string_view name, std::array<OutletId, 2> wires) {
  for (const Branch branch : kBranches) {
    TypedModel& model = changed_body(branch);
    const OutletId wire = wires[index(branch)];
    model.redirect(wire,
                   model.add_source(model.unique_name(name), model.fact(wire).without_value()));
  }
  captured_.push_back(outer);
  places_ = {};
}

bool IfEdit::is_common_output(std::size_t i) const {
  const auto given = [&](Branch branch) {
    return outside(branch, body(branch).outputs()[i].outlet);
  };
  const auto first = given(Branch::then_body);
  return first && first == given(Branch::else_body);
}

std::vector<std::size_t> IfEdit::take_outputs() {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < node_.output_count(); ++i) {
    if (is_common_output(i))
      patch_.shunt(node_.output(i),
                   *outside(Branch::then_body, body(Branch::then_body).outputs()[i].outlet));
    else
      kept.push_back(i);
  }
  for (BodyDraft& draft : bodies_) {
    TypedModel& model = draft.changed();
    std::vector<GraphOutput> outputs;
    for (const std::size_t i : kept) outputs.push_back(model.outputs()[i]);
    model.set_outputs(std::move(outputs));
    model.remove_dead_nodes();
  }
  return kept;
}

OutletIds IfEdit::take_captured() {
  std::array<OutletIds, 2> sources;
  OutletIds kept;
  for (std::size_t i = 0; i < captured(); ++i) {
    const bool is_read = bodies_[0]->is_read(bodies_[0]->inputs()[i].node) ||
                         bodies_[1]->is_read(bodies_[1]->inputs()[i].node);
    if (!is_read) continue;
    kept.push_back(outer(i));
    for (std::size_t k = 0; k < 2; ++k) sources[k].push_back(bodies_[k]->inputs()[i]);
  }
  for (std::size_t k = 0; k < 2; ++k) {
    TypedModel& model = bodies_[k].changed();
    const OutletIds before = model.inputs();
    model.set_inputs(std::move(sources[k]));
    for (const OutletId source : before) model.erase_unread(source.node);
    model.compact();
  }
  return kept;
}

Patch IfEdit::finish() && {
  const std::vector<std::size_t> kept = take_outputs();
  if (kept.empty()) return std::move(patch_);
  OutletIds wires{node_.input(0)};
  for (const OutletId wire : take_captured()) wires.push_back(wire);
  const If branch{std::move(bodies_[0]).take(), std::move(bodies_[1]).take()};
  const OutletIds results = patch_.wire("", branch, wires);
  for (std::size_t i = 0; i < kept.size(); ++i) patch_.shunt(node_.output(kept[i]), results[i]);
  return std::move(patch_);
}

}  // namespace strata
