#include "passes/rewriter.h"

#include <algorithm>

namespace strata {
namespace {

/// Firings allowed for each node the model had, and a few for small models.
constexpr std::size_t kStepsPerNode = 200;
constexpr std::size_t kLeastSteps = 100'000;

/// A firing as errors name it.
std::string place_of(std::string_view rule, const TypedNode& node) {
  return cat("rule ", rule, " on ", node.op.display_name(), ' ', in_quotes(node.name));
}

}  // namespace

Rewriter::Rewriter(TypedModel& model, Attempt attempt, RewriteBody rewrite_body,
                   FinishedBodies& finished)
    : model_(model),
      attempt_(std::move(attempt)),
      rewrite_body_(std::move(rewrite_body)),
      finished_bodies_(finished),
      steps_left_(kLeastSteps + kStepsPerNode * model.nodes().size()) {
  revisit_all();
}

void Rewriter::revisit_all() {
  for (const std::uint32_t id : model_.order()) push(id);
}

RewriteReport Rewriter::report() const {
  RewriteReport out = bodies_report_;
  for (const auto& [rule, count] : firings_) out.firings[std::string(rule)] += count;
  return out;
}

void Rewriter::push(std::uint32_t id) {
  if (waiting_.size() <= id)
    waiting_.resize(std::max<std::size_t>(id + 1, model_.nodes().size()), false);
  if (waiting_[id]) return;
  waiting_[id] = true;
  worklist_.push_back(id);
}

void Rewriter::run() {
  while (!worklist_.empty()) {
    const std::uint32_t id = worklist_.front();
    worklist_.pop_front();
    waiting_[id] = false;
    if (!model_.node(id).erased) visit(id);
  }
}

void Rewriter::visit(std::uint32_t id) {
  // What a rule has just made is shown to the rules first, so that bodies are gone through once all
  // rules have changed them, not after each.
  if (just_made_.erase(id) == 0) rewrite_bodies(id);
  if (model_.node(id).is_stale) refresh_facts(id);
  if (auto firing = attempt_(NodeView{model_, id})) return apply(id, *firing);
  if (rewrite_bodies(id)) push(id);
}

void Rewriter::apply(std::uint32_t id, Firing& firing) {
  const auto place = [&] { return place_of(firing.rule, model_.node(id)); };
  require(steps_left_-- > 0, ErrorKind::internal, place,
          " exceeds the step budget: rules go round in circles");
  try {
    for (const std::uint32_t touched : firing.patch.apply(model_)) {
      if (model_.node(touched).erased) continue;
      if (model_.node(touched).op.has_bodies()) just_made_.insert(touched);
      push(touched);
      for (const auto& outlet : model_.node(touched).outputs)
        for (const InletId reader : outlet.successors) push(reader.node);
    }
  } catch (Error& error) {
    throw error.in(place());
  }
  ++firings_[firing.rule];
}

void Rewriter::refresh_facts(std::uint32_t id) {
  model_.settle(id);
  const TypedNode& node = model_.node(id);
  if (node.op.as<Source>() || node.op.as<Const>()) return;
  SmallVector<const Fact*, 8> in;
  for (const OutletId input : node.inputs) in.push_back(&model_.fact(input));
  const FactList now = infer_facts(node.op, Facts(in), model_.symbols());
  for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot) {
    const Fact& known = node.outputs[slot].fact;
    Fact merged = meet(known, now[slot]);
    if (merged == known) continue;
    model_.set_fact({id, slot}, std::move(merged));
    for (const InletId reader : model_.successors({id, slot})) push(reader.node);
  }
}

bool Rewriter::rewrite_bodies(std::uint32_t id) {
  if (!model_.node(id).op.has_bodies()) return false;
  std::vector<Body> bodies = model_.node(id).op.bodies();
  const auto is_finished = [&](const Body& body) { return finished_bodies_.contains(body); };
  if (std::all_of(bodies.begin(), bodies.end(), is_finished)) return false;
  for (Body& body : bodies) {
    if (!is_finished(body)) {
      TypedModel copy = *body;
      bodies_report_.add(rewrite_body_(copy));
      body = std::make_shared<const TypedModel>(std::move(copy));
    }
    finished_bodies_.insert(body);
  }
  model_.set_op(id, model_.node(id).op.with_bodies(bodies));
  return true;
}

}  // namespace strata
