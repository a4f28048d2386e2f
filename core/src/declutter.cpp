#include "passes/passes.h"
#include "passes/rewriter.h"
#include "strata/core/ops/loop.h"
#include "strata/core/transform.h"

namespace strata {
namespace {

/// Which loops may be unrolled for now.
struct Unrolling {
  static constexpr std::size_t kMainPart = 4;  ///< a quarter of the model is a main part
  static constexpr std::size_t kNone = SIZE_MAX;

  std::size_t least_nodes = 0;  ///< least size of a body that may be unrolled

  static Unrolling of_none() { return {kNone}; }
  static Unrolling of_all() { return {0}; }
  static Unrolling of_main_parts(std::size_t model_nodes) {
    return {(model_nodes + kMainPart - 1) / kMainPart};
  }
  bool is_of_none() const { return least_nodes == kNone; }
  bool allows(const NodeView& node) const {
    const Loop* loop = node.op().as<Loop>();
    return loop && loop->body->total_nodes() >= least_nodes;
  }
};

Limits without_unrolling(Limits limits) {
  limits.unroll_trips = 0;
  return limits;
}

/// Runs all rules until none applies. Returns whether one did.
bool rewrite(TypedModel& model, const Limits& limits, const Unrolling& unrolling,
             PassState& state) {
  const Limits rolled = without_unrolling(limits);
  const auto attempt = [&](const NodeView& node) -> std::optional<Rewriter::Firing> {
    if (Rewrite own = node.op().declutter(node))
      return Rewriter::Firing{node.op().name(), *std::move(own)};
    for (const RewriteRule& rule : declutter_rules())
      if (Rewrite found = rule.apply(node, rolled))
        return Rewriter::Firing{rule.name, *std::move(found)};
    if (!node.op().has_bodies()) return std::nullopt;
    const Limits& allowed = unrolling.allows(node) ? limits : rolled;
    for (const RewriteRule& rule : body_rules())
      if (Rewrite found = rule.apply(node, allowed))
        return Rewriter::Firing{rule.name, *std::move(found)};
    return std::nullopt;
  };
  model.remove_dead_nodes();
  Rewriter rewriter(
      model, attempt, [&](TypedModel& body) { return rewrite(body, limits, unrolling, state); },
      Rewriter::OnFailure::restore, state);
  bool has_changed = rewriter.run();
  for (bool goes_on = true; goes_on;) {
    model.compact();
    const MergedNodes merged = merge_equal_nodes(model);
    if (merged.gone == 0) return has_changed;
    has_changed = true;
    state.firings["merge_equal_nodes"] += merged.gone;
    rewriter.visit_later(merged.kept);
    goes_on = rewriter.run();
  }
  model.compact();
  return has_changed;
}

/// The same for a model that is no body.
RewriteReport rewrite(TypedModel& model, const Limits& limits, const Unrolling& unrolling) {
  PassState state;
  rewrite(model, limits, unrolling, state);
  return state.report();
}

/// All loops that can be are unrolled if the model then has at most twice its nodes, or if the
/// caller has raised unroll_nodes to the limit of nodes. Otherwise only loops that are a main part
/// of the model are. It is all or none, so that a second declutter, which sees the larger model,
/// finds nothing more to unroll.
Unrolling loops_to_unroll(const TypedModel& model, const Limits& limits) {
  const std::size_t now = model.total_nodes();
  const std::int64_t after = nodes_after_unrolling(model, limits);
  const auto nodes = static_cast<std::int64_t>(now);
  if (after == nodes) return Unrolling::of_none();
  const bool is_asked_for = limits.unroll_nodes >= limits.nodes;
  if (after <= (is_asked_for ? limits.nodes : 2 * nodes)) return Unrolling::of_all();
  return is_asked_for ? Unrolling::of_none() : Unrolling::of_main_parts(now);
}

}  // namespace

RewriteReport declutter(TypedModel& model, const Limits& limits) {
  RewriteReport report = rewrite(model, limits, Unrolling::of_none());
  for (;;) {
    const Unrolling unrolling = loops_to_unroll(model, limits);
    if (unrolling.is_of_none()) return report;
    const RewriteReport more = rewrite(model, limits, unrolling);
    report.add(more);
    if (!more.firings.contains("unroll_loops")) return report;
  }
}

}  // namespace strata
