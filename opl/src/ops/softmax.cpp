#include "strata/core/ops/softmax.h"

#include "ops/all.h"
#include "ops/support.h"

namespace strata::opl {
namespace {

Standard write_softmax(const NodeView& node, GraphWriter& writer) {
  const auto& op = *node.op().as<Softmax>();
  const auto axes = normalized_axes(op.axes, input_rank(node, 0));
  if (!axes || op.op == SoftmaxKind::hardmax) return std::nullopt;
  return call(op.op == SoftmaxKind::softmax ? "softmax" : "tract_core_log_softmax",
              {positional(writer.input(node, 0)), named("axes", numbers(*axes))});
}

OutletIds read_softmax(Invocation& call) {
  const bool is_log = call.fragment() == "tract_core_log_softmax";
  const Shape axes = call.given("axes") ? call.integers("axes") : Shape{1};
  return call.make(Softmax{is_log ? SoftmaxKind::log_softmax : SoftmaxKind::softmax, axes},
                   {call.wire("x")});
}

}  // namespace

void register_softmax(Writers& writers) { writers.add("Softmax", write_softmax); }

void register_softmax(Readers& readers) {
  readers.add("softmax", "x, axes", read_softmax);
  readers.add("tract_core_softmax", "x, axes, exp", read_softmax);
  readers.add("tract_core_log_softmax", "x, axes", read_softmax);
}

}  // namespace strata::opl
