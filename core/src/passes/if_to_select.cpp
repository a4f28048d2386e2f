#include "inline_body.h"
#include "passes/op_traits.h"
#include "passes/passes.h"
#include "strata/core/ops/if.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/squeeze.h"

namespace strata {
namespace {

constexpr std::int64_t kMostElements = 4096;  ///< of each wire
constexpr std::size_t kMostNodes = 8;         ///< of each body, sources and constants not counted

bool is_small(const Fact& fact) {
  if (!fact.is_tensor()) return false;
  const auto shape = fact.shape.concrete();
  return shape && element_count(*shape) <= kMostElements;
}

/// Whether running a body that is not asked for does no harm and costs little.
bool is_cheap(const TypedModel& body) {
  std::size_t computed = 0;
  for (const TypedNode& node : body.nodes()) {
    if (node.erased) continue;
    for (const auto& outlet : node.outputs)
      if (!is_small(outlet.fact)) return false;
    if (node.op.as<Source>() || node.op.as<Const>()) continue;
    if (!is_elementwise(node.op) || !never_fails(body, node)) return false;
    ++computed;
  }
  return computed <= kMostNodes;
}

bool has_same_outputs(const If& branch) {
  for (std::size_t i = 0; i < branch.then_body->outputs().size(); ++i) {
    const Fact &a = branch.then_body->output_fact(i), &b = branch.else_body->output_fact(i);
    if (a.dtype != b.dtype || !surely_equal(a.shape, b.shape)) return false;
  }
  return true;
}

/// The condition as a scalar, so that it leaves the shape alone.
OutletId scalar_condition(const NodeView& node, Patch& patch) {
  if (node.input_fact(0).shape.rank() == 0) return node.input(0);
  return patch.wire_one("condition", Squeeze{}, {node.input(0)});
}

}  // namespace

/// If(c, x..) of bodies f and g -> Select(c, f(x..), g(x..)), for small f and g of elementwise ops
Rewrite if_to_select(const NodeView& node, const Limits&) {
  const If* branch = node.op().as<If>();
  if (!branch) return no_change;
  const auto condition = node.input_fact(0).shape.concrete();
  if (!condition || element_count(*condition) != 1) return no_change;
  if (!is_cheap(*branch->then_body) || !is_cheap(*branch->else_body) || !has_same_outputs(*branch))
    return no_change;
  Patch patch(node);
  const OutletId chosen = scalar_condition(node, patch);
  const OutletIds captured(node.inputs().begin() + 1, node.inputs().end());
  const OutletIds a = BodyInliner(*branch->then_body).inline_into(patch, captured, "then"),
                  b = BodyInliner(*branch->else_body).inline_into(patch, captured, "else");
  for (std::size_t i = 0; i < node.output_count(); ++i)
    patch.shunt(node.output(i),
                patch.wire_one(i == 0 ? "" : cat("output", i), Select{}, {chosen, a[i], b[i]}));
  return patch;
}

}  // namespace strata
