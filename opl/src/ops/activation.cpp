#include "strata/core/ops/activation.h"

#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/unary.h"

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

/// sqrt(x^2 + epsilon)
OutletIds read_softabs(Invocation& call) {
  const OutletId x = call.wire("x");
  const OutletId epsilon =
      call.number_constant("epsilon", call.fact(x).dtype, call.number("epsilon", 0));
  const OutletId square = call.step("square", UnaryOp::square, x);
  const OutletId raised = call.step("raised", BinaryOp::add, square, epsilon);
  return call.make(UnaryOp::sqrt, raised);
}

/// select(x < 0, alpha * x, x)
OutletIds read_prelu(Invocation& call) {
  const OutletId x = call.wire("x");
  const DatumType type = call.fact(x).dtype;
  const OutletId zero = call.number_constant("zero", type, 0);
  const OutletId below = call.step("below", BinaryOp::less, x, zero);
  const OutletId scaled = call.step("scaled", strata::Binary{BinaryOp::mul},
                                    with_trailing_axes(call, {call.wire("alpha", type), x}));
  return call.make(Select{}, {below, scaled, x});
}

/// (clamp(up, -limit, limit) + 1) * g * sigmoid(alpha * g), where g = min(gate, limit), in single precision
OutletIds read_clamped_swiglu(Invocation& call) {
  const auto constant = [&](std::string_view hint, double value) {
    return call.number_constant(hint, DatumType::f32, value);
  };
  const auto widened = [&](std::string_view parameter) {
    return as_type(call, "wide", call.wire(parameter), DatumType::f32);
  };
  const double most = call.number("limit", 0);
  const OutletId limit = constant("limit", most);
  const OutletId gate = call.step("gate", BinaryOp::min, widened("gate"), limit);
  const OutletId below = call.step("below", BinaryOp::min, widened("up"), limit);
  const OutletId up = call.step("up", BinaryOp::max, below, constant("least", -most));
  const OutletId steep =
      call.step("steep", BinaryOp::mul, gate, constant("alpha", call.number("alpha", 0)));
  const OutletId open = call.step("open", UnaryOp::sigmoid, steep);
  const OutletId gated = call.step("gated", BinaryOp::mul, gate, open);
  const OutletId raised = call.step("raised", BinaryOp::add, up, constant("one", 1));
  return call.make(BinaryOp::mul, raised, gated);
}

}  // namespace

void register_activation(Writers& writers) { writers.add("Activation", write_activation); }

void register_activation(Readers& readers) {
  readers.add("leaky_relu", "x, alpha", read_leaky_relu);
  readers.add("elu", "x, alpha", read_elu);
  readers.add("selu", "x, alpha, lambda", read_selu);
  readers.add("softabs", "x, epsilon", read_softabs);
  readers.add("tract_core_clamped_swiglu", "gate, up, alpha, limit", read_clamped_swiglu);
  readers.add("prelu", "x, alpha", read_prelu);
}

}  // namespace strata::opl
