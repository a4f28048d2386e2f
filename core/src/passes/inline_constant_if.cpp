#include "inline_body.h"
#include "passes/passes.h"
#include "strata/core/ops/if.h"

namespace strata {

/// If(true, x..) -> then_body(x..);  If(false, x..) -> else_body(x..)
Rewrite inline_constant_if(const NodeView& node, const Limits&) {
  const If* branch = node.op().as<If>();
  if (!branch) return no_change;
  const auto condition = node.input_fact(0).truth();
  if (!condition) return no_change;
  Patch patch(node);
  const OutletIds captured(node.inputs().begin() + 1, node.inputs().end());
  const OutletIds outputs = BodyInliner(*condition ? *branch->then_body : *branch->else_body)
                                .inline_into(patch, captured, *condition ? "then" : "else");
  for (std::size_t i = 0; i < node.output_count(); ++i) patch.shunt(node.output(i), outputs[i]);
  return patch;
}

}  // namespace strata
