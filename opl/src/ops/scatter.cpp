#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/scatter_elements.h"
#include "strata/core/ops/scatter_nd.h"

namespace strata::opl {
namespace {

std::vector<Argument> operands(const NodeView& node, GraphWriter& writer) {
  std::vector<Argument> out;
  for (std::size_t i = 0; i < 3; ++i) out.push_back(positional(writer.input(node, i)));
  return out;
}

Standard write_scatter_elements(const NodeView& node, GraphWriter& writer) {
  const auto& op = *node.op().as<ScatterElements>();
  const auto axis = normalized_axis(op.axis, input_rank(node, 0));
  if (!axis) return std::nullopt;
  std::vector<Argument> arguments = operands(node, writer);
  arguments.push_back(named("axis", number(*axis)));
  arguments.push_back(named("reduction", enumerator(op.reduction)));
  return call("tract_core_scatter_elements", std::move(arguments));
}

Standard write_scatter_nd(const NodeView& node, GraphWriter& writer) {
  std::vector<Argument> arguments = operands(node, writer);
  arguments.push_back(named("reduction", enumerator(node.op().as<ScatterNd>()->reduction)));
  return call("tract_core_scatter_nd", std::move(arguments));
}

template <class Op>
OutletIds scattered(Invocation& call, Op op) {
  op.reduction = call.choice("reduction", ScatterReduction::none);
  const OutletId input = call.wire("input");
  return call.make(op, {input, call.wire("indices"), call.wire("updates", call.fact(input).dtype)});
}

}  // namespace

void register_scatter(Writers& writers) {
  writers.add("ScatterElements", write_scatter_elements);
  writers.add("ScatterNd", write_scatter_nd);
}

void register_scatter(Readers& readers) {
  readers.add(
      "tract_core_scatter_elements", "input, indices, updates, axis, reduction",
      [](Invocation& call) { return scattered(call, ScatterElements{call.integer("axis")}); });
  readers.add("tract_core_scatter_nd", "input, indices, updates, reduction",
              [](Invocation& call) { return scattered(call, ScatterNd{}); });
}

}  // namespace strata::opl
