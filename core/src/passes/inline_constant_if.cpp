#include "inline_body.h"
#include "passes/passes.h"
#include "strata/core/ops/if.h"

namespace strata {

/// If(true, x..) -> then_body(x..);  If(false, x..) -> else_body(x..)
Rewrite inline_constant_if(const NodeView& node, const Limits&) {
  const If* branch = node.op().as<If>();
  if (!branch) return no_change;
  const Tensor* condition = node.input_fact(0).constant();
  if (!condition || condition->size() != 1) return no_change;
  const bool chosen = condition->as<bool>()[0];
  Patch patch(node);
  const OutletIds captured(node.inputs().begin() + 1, node.inputs().end());
  const OutletIds outputs = BodyInliner(chosen ? *branch->then_body : *branch->else_body)
                                .inline_into(patch, captured, chosen ? "then" : "else");
  for (std::size_t i = 0; i < node.output_count(); ++i) patch.shunt(node.output(i), outputs[i]);
  return patch;
}

}  // namespace strata
