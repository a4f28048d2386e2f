#include "passes/if_edit.h"
#include "passes/passes.h"

namespace strata {
namespace {

bool is_one_bool(const Fact& fact) {
  if (!fact.is_tensor() || fact.dtype != DatumType::boolean) return false;
  const auto shape = fact.shape.concrete();
  return shape && element_count(*shape) == 1;
}

/// What a captured value surely is while this body runs.
std::optional<bool> value_within(const IfEdit& edit, Branch branch, std::size_t captured) {
  const NodeView& node = edit.node();
  const OutletId outer = edit.outer(captured);
  if (const auto known = node.model.fact(outer).truth()) return known;
  const Truth condition = truth_of(node.model, node.input(0)), value = truth_of(node.model, outer);
  if (condition.root != value.root) return std::nullopt;
  const bool is_true = branch == Branch::then_body;
  return (condition.negated == value.negated) == is_true;
}

}  // namespace

/// If(c, c, x..) of bodies f and g -> If(c, x..) of bodies f(true, x..) and g(false, x..), in which
/// Ifs on c, or on its negation, are decided
Rewrite merge_nested_ifs(const NodeView& node, const Limits&) {
  const If* branch = node.op().as<If>();
  if (!branch) return no_change;
  IfEdit edit(node, *branch);
  bool changed = false;
  for (const Branch each : kBranches)
    for (std::size_t i = 0; i < edit.captured(); ++i) {
      const OutletId source = edit.source(each, i);
      const Fact& fact = edit.body(each).fact(source);
      if (!is_one_bool(fact) || !edit.body(each).is_read(source.node)) continue;
      const auto value = value_within(edit, each, i);
      if (!value) continue;
      MutableTensor tensor(DatumType::boolean, *fact.shape.concrete());
      tensor.as<bool>()[0] = *value;
      TypedModel& body = edit.changed_body(each);
      const std::string name = cat(body.node(source.node).name, ".value");
      body.redirect(source, body.constant(name, std::move(tensor).freeze()));
      changed = true;
    }
  if (!changed) return no_change;
  return std::move(edit).finish();
}

}  // namespace strata
