#include "passes/lowering.h"
#include "passes/passes.h"
#include "passes/rewriter.h"
#include "strata/core/transform.h"

namespace strata {
namespace {

/// What these rules find has ops of several kinds and no two overlap, so one look at each node is
/// enough.
RewriteReport apply_once(TypedModel& model, const Target& target,
                         std::span<const LoweringRule> rules) {
  RewriteReport report;
  for (const std::uint32_t id : model.order()) {
    for (const LoweringRule& rule : rules) {
      if (model.node(id).erased) break;
      if (Rewrite found = rule.apply({model, id}, target)) {
        found->apply(model);
        ++report.firings[std::string(rule.name)];
      }
    }
  }
  return report;
}

/// What declutter left small for the file's sake (weights that are one number repeated) is computed
/// now, so that kernels find constants.
RewriteReport fold_all(TypedModel& model, const Limits& limits) {
  RewriteReport report;
  for (const std::uint32_t id : model.order())
    if (Rewrite found = fold_large_constants({model, id}, limits)) {
      found->apply(model);
      ++report.firings["fold_large_constants"];
    }
  return report;
}

RewriteReport lower(TypedModel& model, const Target& target, const Limits& limits,
                    FinishedBodies& finished) {
  RewriteReport report = apply_once(model, target, dequantised_rules());
  report.add(fold_all(model, limits));
  report.add(apply_once(model, target, cell_rules()));
  const auto attempt = [&](const NodeView& node) -> std::optional<Rewriter::Firing> {
    if (Rewrite own = node.op().lower(node, target))
      return Rewriter::Firing{"lower", *std::move(own)};
    for (const LoweringRule& rule : lowering_rules())
      if (Rewrite found = rule.apply(node, target))
        return Rewriter::Firing{rule.name, *std::move(found)};
    return std::nullopt;
  };
  Rewriter rewriter(
      model, attempt, [&](TypedModel& body) { return lower(body, target, limits, finished); },
      finished);
  rewriter.run();
  if (const std::size_t merged =
          merge_equal_nodes(model))  // weights that several nodes have packed
    report.firings["merge_equal_nodes"] += merged;
  model.remove_dead_nodes();
  model.compact();
  report.add(rewriter.report());
  return report;
}

}  // namespace

RewriteReport optimise(TypedModel& model, const Target& target, const Limits& limits) {
  FinishedBodies finished;
  return lower(model, target, limits, finished);
}

}  // namespace strata
