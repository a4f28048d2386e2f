#include <algorithm>

#include "memory_account.h"
#include "node_title.h"
#include "passes/lowering.h"
#include "passes/passes.h"
#include "passes/rewriter.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/transform.h"

namespace strata {
namespace {

/// Lowers a model and the bodies in it to kernels.
class Lowering {
 public:
  Lowering(const Target& target, const Limits& limits)
      : lowered_for_(std::make_shared<const Target>(target)),
        target_(*lowered_for_),
        limits_(limits) {}

  RewriteReport run(TypedModel& model) && {
    lower(model);
    return state_.report();
  }

 private:
  void lower(TypedModel& model) {
    apply_once(model, dequantised_rules_);
    fold_all(model);
    apply_once(model, cell_rules_);
    Rewriter rewriter(
        model, [&](const NodeView& node) { return attempt(node); },
        [&](TypedModel& body) {
          lower(body);
          return true;
        },
        Rewriter::OnFailure::keep, state_);
    rewriter.run();
    apply_once(model, closing_rules_);
    const std::size_t merged = merge_equal_nodes(model).gone;  // weights several nodes have packed
    if (merged > 0) state_.firings["merge_equal_nodes"] += merged;
    model.remove_dead_nodes();
    model.compact();
    model.set_target(lowered_for_);
  }

  /// Calls `look` once for each node, and adds the node to its errors.
  template <class Look>
  static void look_at_each(TypedModel& model, const Look& look) {
    for (const std::uint32_t id : model.order()) naming(model, id, [&] { look(id); });
  }

  /// The patterns of these rules consist of several ops and do not overlap, so one look at each
  /// node is enough.
  void apply_once(TypedModel& model, RulesByOp& rules) {
    look_at_each(model, [&](std::uint32_t id) {
      if (model.node(id).erased || Rewriter::is_given(model.node(id))) return;
      const auto here = rules.of(model.node(id).op);
      if (here.empty() || !is_possible({model, id})) return;
      for (const LoweringRule* rule : here) {
        Rewrite found = rule->apply({model, id}, target_);
        if (!found) continue;
        found->apply(model);
        ++state_.firings[rule->name];
        return;
      }
    });
  }

  /// Constants that declutter leaves small for the sake of files, such as weights that repeat one
  /// number, are computed now, so that kernels find constants.
  void fold_all(TypedModel& model) {
    look_at_each(model, [&](std::uint32_t id) {
      if (Rewrite found = fold_large_constants({model, id}, limits_)) {
        found->apply(model);
        ++state_.firings["fold_large_constants"];
      }
    });
  }

  /// Rules and kernels compute with sizes that must be within the limits; a run refuses larger
  /// tensors anyway.
  bool is_possible(const NodeView& node) const {
    return std::ranges::all_of(node.inputs(),
                               [&](OutletId in) { return may_be(node.model.fact(in), limits_); }) &&
           std::ranges::all_of(node.node().outputs,
                               [&](const auto& out) { return may_be(out.fact, limits_); });
  }

  std::optional<Rewriter::Firing> attempt(const NodeView& node) {
    if (!is_possible(node)) return std::nullopt;
    // Rules transpose and reshape weights for their kernels.
    if (node.op().as<Transpose>() || node.op().as<Reshape>())
      if (Rewrite turned = fold_large_constants(node, limits_))
        return Rewriter::Firing{"fold_large_constants", *std::move(turned)};
    if (Rewrite own = node.op().lower(node, target_))
      return Rewriter::Firing{"lower", *std::move(own)};
    for (const LoweringRule* rule : lowering_rules_.of(node.op()))
      if (Rewrite found = rule->apply(node, target_))
        return Rewriter::Firing{rule->name, *std::move(found)};
    return std::nullopt;
  }

  std::shared_ptr<const Target> lowered_for_;
  const Target& target_;
  const Limits& limits_;
  PassState state_;
  RulesByOp dequantised_rules_{dequantised_rules()};
  RulesByOp cell_rules_{cell_rules()};
  RulesByOp lowering_rules_{lowering_rules()};
  RulesByOp closing_rules_{closing_rules()};
};

}  // namespace

RewriteReport optimise(TypedModel& model, const Target& target, const Limits& limits) {
  return Lowering(target, limits).run(model);
}

}  // namespace strata
