#include "strata/core/ops/select.h"

#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/trilu.h"

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
  const auto type_of = [&](const Item& item) { return call.fact(call.operand(item)).dtype; };
  // Of two literals, a float tells the type; of a literal and a wire, the wire.
  const bool second_tells = a.is_wire() ? false : b.is_wire() || is_float(type_of(b));
  const DatumType type = type_of(second_tells ? b : a);
  return call.make(Select{}, with_trailing_axes(
                                 call, {condition, call.operand(a, type), call.operand(b, type)}));
}

Expression diagonal_of(const NodeView& node, GraphWriter& writer) {
  if (node.inputs().size() < 2) return number(0);
  const auto known = constant_integer(node, 1);
  return known ? number(*known) : writer.input(node, 1);
}

Standard write_trilu(const NodeView& node, GraphWriter& writer) {
  return call("tract_core_trilu",
              {positional(writer.input(node, 0)), positional(diagonal_of(node, writer)),
               named("upper", logical(node.op().as<Trilu>()->kept == Triangle::upper))});
}

OutletIds read_trilu(Invocation& call) {
  const Trilu op{call.logical("upper", true) ? Triangle::upper : Triangle::lower};
  OutletIds inputs{call.wire("input")};
  if (call.item("k").is_wire() || call.integer("k") != 0) inputs.push_back(call.wire("k"));
  return call.make(op, inputs);
}

}  // namespace

void register_select(Writers& writers) {
  writers.add("Select", write_select);
  writers.add("Trilu", write_trilu);
}

void register_select(Readers& readers) {
  readers.add("select", "condition, true_value, false_value", read_select);
  readers.add("tract_core_trilu", "input, k, upper", read_trilu);
}

}  // namespace strata::opl
