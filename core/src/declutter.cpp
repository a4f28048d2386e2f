#include "passes/passes.h"
#include "passes/rewriter.h"
#include "strata/core/transform.h"

namespace strata {

RewriteReport declutter(TypedModel& model, const Limits& limits) {
  const auto attempt = [&](const NodeView& node) -> std::optional<Rewriter::Firing> {
    if (Rewrite own = node.op().declutter(node))
      return Rewriter::Firing{std::string(node.op().name()), *std::move(own)};
    for (const RewriteRule& rule : declutter_rules())
      if (Rewrite found = rule.apply(node, limits))
        return Rewriter::Firing{std::string(rule.name), *std::move(found)};
    return std::nullopt;
  };
  model.remove_dead_nodes();
  Rewriter rewriter(model, attempt, [&](TypedModel& body) { return declutter(body, limits); });
  for (;;) {
    rewriter.run();
    const std::size_t merged = merge_equal_nodes(model);
    if (merged == 0) break;
    rewriter.report().firings["merge_equal_nodes"] += merged;
    rewriter.revisit_all();
  }
  model.remove_dead_nodes();
  model.compact();
  return rewriter.report();
}

}  // namespace strata
