#include "strata/core/ops/select.h"

#include "ops/all.h"
#include "ops/support.h"

namespace strata::opl {
namespace {

Standard write_select(const NodeView& node, GraphWriter& writer) {
  const auto rank = greatest_rank(node);
  if (!rank) return std::nullopt;
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < 3; ++i)
    arguments.push_back(positional(with_rank(node, writer, i, *rank)));
  return call("select", std::move(arguments));
}

OutletIds read_select(Invocation& call) {
  const OutletId condition = call.wire("condition", DatumType::boolean);
  const Item &a = call.item("true_value"), &b = call.item("false_value");
  const Item& typed = a.is_wire() || !b.is_wire() ? a : b;
  const DatumType type = call.fact(call.operand(typed)).dtype;
  return call.make(Select{}, with_trailing_axes(
                                 call, {condition, call.operand(a, type), call.operand(b, type)}));
}

}  // namespace

void register_select(Writers& writers) { writers.add("Select", write_select); }

void register_select(Readers& readers) {
  readers.add("select", "condition, true_value, false_value", read_select);
}

}  // namespace strata::opl
