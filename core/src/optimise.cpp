#include "passes/lowering.h"
#include "passes/passes.h"
#include "passes/rewriter.h"
#include "strata/core/transform.h"

namespace strata {
namespace {

/// Cells have ops of several kinds and no two overlap, so one look at each node is enough.
RewriteReport fuse_cells(TypedModel& model, const Target& target) {
  RewriteReport report;
  for (const std::uint32_t id : model.order()) {
    for (const LoweringRule& rule : cell_rules()) {
      if (model.node(id).erased) break;
      if (const Rewrite found = rule.apply({model, id}, target)) {
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
    if (const Rewrite found = fold_large_constants({model, id}, limits)) {
      found->apply(model);
      ++report.firings["fold_large_constants"];
    }
  return report;
}

RewriteReport lower(TypedModel& model, const Target& target, const Limits& limits,
                    FinishedBodies& finished) {
  RewriteReport report = fold_all(model, limits);
  report.add(fuse_cells(model, target));
  const auto attempt = [&](const NodeView& node) -> std::optional<Rewriter::Firing> {
    if (Rewrite own = node.op().lower(node, target))
      return Rewriter::Firing{cat("lower ", node.op().name()), *std::move(own)};
    for (const LoweringRule& rule : lowering_rules())
      if (Rewrite found = rule.apply(node, target))
        return Rewriter::Firing{std::string(rule.name), *std::move(found)};
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
