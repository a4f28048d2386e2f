#include "passes/rewriter.h"

#include <algorithm>
#include <utility>

#include "node_facts.h"
#include "node_title.h"
#include "sole_owner.h"

namespace strata {
namespace {

/// Firings allowed for each node the model had at its largest, and a few for small models.
constexpr std::size_t kStepsPerNode = 200;
constexpr std::size_t kLeastSteps = 100'000;

}  // namespace

RewriteReport PassState::report() const {
  RewriteReport out;
  for (const auto& [rule, count] : firings) out.firings[std::string(rule)] = count;
  return out;
}

Rewriter::Rewriter(TypedModel& model, Attempt attempt, RewriteBody rewrite_body,
                   OnFailure on_failure, PassState& state)
    : model_(model),
      attempt_(std::move(attempt)),
      rewrite_body_(std::move(rewrite_body)),
      on_failure_(on_failure),
      state_(state),
      most_nodes_(model.nodes().size()) {
  marks_.resize(model.nodes().size());
  worklist_.reserve(model.live_nodes());
  for (const std::uint32_t id : model.order()) push(id);
}

void Rewriter::visit_later(const std::vector<std::uint32_t>& ids) {
  marks_.assign(model_.nodes().size(), {});
  for (const std::uint32_t id : ids) {
    push_with_readers(id);
    for (const auto& outlet : model_.node(id).outputs)
      for (const InletId reader : outlet.successors) push_with_readers(reader.node);
  }
}

void Rewriter::push(std::uint32_t id) {
  if (marks_.size() <= id) marks_.resize(model_.nodes().size());
  if (marks_[id].is_waiting || is_given(model_.node(id))) return;
  marks_[id].is_waiting = true;
  worklist_.push_back(id);
}

void Rewriter::push_with_readers(std::uint32_t id) {
  push(id);
  if (std::exchange(marks_[id].step, steps_) == steps_) return;
  for (const auto& outlet : model_.node(id).outputs)
    for (const InletId reader : outlet.successors) push(reader.node);
}

bool Rewriter::run() {
  has_changed_ = false;
  for (std::size_t next = 0; next < worklist_.size(); ++next) {
    const std::uint32_t id = worklist_[next];
    marks_[id].is_waiting = false;
    if (model_.node(id).erased) continue;
    try {
      visit(id);
    } catch (Error& error) {
      throw error.in(title_of(model_.node(id)));
    }
  }
  worklist_.clear();
  return has_changed_;
}

void Rewriter::visit(std::uint32_t id) {
  // What a rule has just made is shown to the rules first, so that bodies are gone through once all
  // rules have changed them, not after each.
  const bool has_bodies = model_.node(id).op.has_bodies();
  if (!std::exchange(marks_[id].is_just_made, false) && has_bodies) rewrite_bodies(id);
  if (model_.node(id).is_stale) refresh_facts(id);
  if (auto firing = attempt_(NodeView{model_, id})) return apply(*firing);
  if (has_bodies) rewrite_bodies(id);
  if (model_.node(id).is_stale) push(id);  // its bodies may tell more, even where no rule fired
}

void Rewriter::apply(Firing& firing) {
  most_nodes_ = std::max(most_nodes_, model_.live_nodes());
  require(steps_++ < kLeastSteps + kStepsPerNode * most_nodes_, ErrorKind::internal, "rule ",
          firing.rule, " exceeds the step budget: rules go round in circles");
  try {
    for (const std::uint32_t touched : firing.patch.apply(model_)) {
      if (model_.node(touched).erased) continue;
      push_with_readers(touched);
      if (model_.node(touched).op.has_bodies()) marks_[touched].is_just_made = true;
    }
  } catch (Error& error) {
    throw error.in(cat("rule ", firing.rule));
  }
  ++state_.firings[firing.rule];
  has_changed_ = true;
}

void Rewriter::refresh_facts(std::uint32_t id) {
  model_.settle(id);
  const TypedNode& node = model_.node(id);
  const FactList now = infer_facts(node.op, model_.facts_of(node.inputs), model_.symbols());
  for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot) {
    const Fact& known = node.outputs[slot].fact;
    Fact merged = agreed_fact(slot, known, now[slot]);
    if (merged == known) continue;
    model_.set_fact({id, slot}, std::move(merged));
    for (const InletId reader : model_.successors({id, slot})) push(reader.node);
  }
}

void Rewriter::rewrite_bodies(std::uint32_t id) {
  std::vector<Body> bodies = model_.node(id).op.bodies();
  const auto is_finished = [&](const Body& body) { return state_.finished.contains(body); };
  if (std::all_of(bodies.begin(), bodies.end(), is_finished)) return;
  // The node lets go of its bodies meanwhile: those that are nobody else's can be changed where
  // they are.
  const TypedOp op = model_.node(id).op.with_bodies(std::vector<Body>(bodies.size()));
  model_.set_op(id, op);
  try {
    for (Body& body : bodies)
      if (!is_finished(body)) has_changed_ |= finish(body);
  } catch (...) {
    model_.set_op(id, op.with_bodies(bodies));
    throw;
  }
  model_.set_op(id, op.with_bodies(bodies));
}

bool Rewriter::finish(Body& body) {
  const bool is_kept = on_failure_ == OnFailure::keep;
  const auto rewritten = is_kept && detail::is_sole_owner(body)
                             ? std::const_pointer_cast<TypedModel>(body)
                             : std::make_shared<TypedModel>(*body);
  bool has_changed = false;
  try {
    has_changed = rewrite_body_(*rewritten);
    body = rewritten;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::invalid_model) throw;
    if (is_kept) {
      rewritten->compact();
      body = rewritten;
    }
  }
  state_.finished.insert(body);
  return has_changed;
}

}  // namespace strata
