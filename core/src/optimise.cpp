#include "passes/lowering.h"
#include "passes/rewriter.h"
#include "strata/core/transform.h"

namespace strata {

RewriteReport optimise(TypedModel& model, const Target& target, const Limits& limits) {
  const auto attempt = [&](const NodeView& node) -> std::optional<Rewriter::Firing> {
    if (Rewrite own = node.op().lower(node, target))
      return Rewriter::Firing{cat("lower ", node.op().name()), *std::move(own)};
    for (const LoweringRule& rule : lowering_rules())
      if (Rewrite found = rule.apply(node, target))
        return Rewriter::Firing{std::string(rule.name), *std::move(found)};
    return std::nullopt;
  };
  Rewriter rewriter(model, attempt,
                    [&](TypedModel& body) { return optimise(body, target, limits); });
  rewriter.run();
  model.remove_dead_nodes();
  model.compact();
  return rewriter.report();
}

}  // namespace strata
