#include "strata/core/ops/activation.h"

#include "ops/all.h"
#include "ops/support.h"

namespace strata::opl {
namespace {

Standard write_activation(const NodeView& node, GraphWriter& writer) {
  const auto& op = *node.op().as<Activation>();
  if (op.op == ActivationKind::leaky_relu && op.beta == 0)
    return call("leaky_relu",
                {positional(writer.input(node, 0)), named("alpha", number(op.alpha))});
  if (op.op == ActivationKind::elu && op.beta == 0 && op.alpha == 1)
    return call("elu", {positional(writer.input(node, 0))});
  return std::nullopt;
}

OutletIds read_leaky_relu(Invocation& call) {
  Activation op{ActivationKind::leaky_relu};
  op.alpha = static_cast<float>(call.number("alpha", 0));
  return call.make(op, {call.wire("x")});
}

OutletIds read_elu(Invocation& call) {
  Activation op{ActivationKind::elu};
  op.alpha = static_cast<float>(call.number("alpha", 1));
  return call.make(op, {call.wire("x")});
}

OutletIds read_selu(Invocation& call) {
  Activation op{ActivationKind::selu};
  op.alpha = static_cast<float>(call.number("alpha", 1.67326319));
  op.beta = static_cast<float>(call.number("lambda", 1.05070102));
  return call.make(op, {call.wire("x")});
}

}  // namespace

void register_activation(Writers& writers) { writers.add("Activation", write_activation); }

void register_activation(Readers& readers) {
  readers.add("leaky_relu", "x, alpha", read_leaky_relu);
  readers.add("elu", "x, alpha", read_elu);
  readers.add("selu", "x, alpha, lambda", read_selu);
}

}  // namespace strata::opl
