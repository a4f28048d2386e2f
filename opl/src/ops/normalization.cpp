#include <algorithm>

#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/lrn.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/unary.h"

namespace strata::opl {
namespace {

Standard write_lrn(const NodeView& node, GraphWriter& writer) {
  const auto& op = *node.op().as<Lrn>();
  return call("tract_onnx_lrn", {positional(writer.input(node, 0)),
                                 named("alpha", number(op.alpha)), named("beta", number(op.beta)),
                                 named("bias", number(op.bias)), named("size", number(op.size))});
}

Lrn numbers_of(Invocation& call, double alpha, double beta) {
  Lrn op;
  op.alpha = static_cast<float>(call.number("alpha", alpha));
  op.beta = static_cast<float>(call.number("beta", beta));
  op.bias = static_cast<float>(call.number("bias", 1));
  return op;
}

OutletIds read_lrn(Invocation& call) {
  Lrn op = numbers_of(call, 1e-4, 0.75);
  op.size = call.integer("size");
  return call.make(op, {call.wire("input")});
}

/// NNEF's gives a size for each axis; only across channels has it a name in ONNX.
OutletIds read_local_response(Invocation& call) {
  Lrn op = numbers_of(call, 1, 0.5);
  const Shape sizes = call.integers("size");
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (i != 1 && sizes[i] != 1)
      call.unsupported("a local response normalization over other than the channels");
  if (sizes.size() < 2) call.fail("the sizes must be those of all axes");
  op.size = sizes[1];
  return call.make(op, {call.wire("input")});
}

/// A wire of shape [C] or [1, C] with the axes that broadcast it with [N, C, ..].
OutletId per_channel(Invocation& call, std::string_view parameter, DatumType type,
                     std::size_t rank) {
  const OutletId wire = call.wire(parameter, type);
  const std::size_t own = call.rank(wire);
  if (own == 0 || rank < 2) return wire;
  const std::size_t full = own == 1 ? rank - 1 : rank;
  if (own >= full) return wire;
  return unsqueeze(call, parameter, wire, sequence_of(static_cast<std::int64_t>(own), full - own));
}

/// offset + scale * (input - mean) / sqrt(variance + epsilon)
OutletIds read_batch_normalization(Invocation& call) {
  const OutletId input = call.wire("input");
  const DatumType type = call.fact(input).dtype;
  const std::size_t rank = call.rank(input);
  const OutletId mean = per_channel(call, "mean", type, rank),
                 variance = per_channel(call, "variance", type, rank);
  const OutletId offset = per_channel(call, "offset", type, rank),
                 scale = per_channel(call, "scale", type, rank);
  const OutletId epsilon = call.number_constant("epsilon", type, call.number("epsilon", 0));
  const OutletId centred = call.step("centred", BinaryOp::sub, input, mean);
  const OutletId raised = call.step("raised", BinaryOp::add, variance, epsilon);
  const OutletId deviation = call.step("deviation", UnaryOp::sqrt, raised);
  const OutletId unit = call.step("unit", BinaryOp::div, centred, deviation);
  const OutletId scaled = call.step("scaled", BinaryOp::mul, scale, unit);
  return call.make(BinaryOp::add, offset, scaled);
}

/// input / sqrt(mean(input^2) + eps) along one axis, in single precision.
OutletId rms_normalized(Invocation& call) {
  const OutletId x = as_type(call, "wide", call.wire("input"), DatumType::f32);
  const OutletId axes = call.integers_constant("axes", Shape{call.integer("axis")});
  const OutletId epsilon =
      call.number_constant("epsilon", DatumType::f32, call.number("eps", 1e-6));
  const OutletId squares = call.step("squares", BinaryOp::mul, x, x);
  const OutletId mean = call.step("mean", Reduce{Reduction::mean}, {squares, axes});
  const OutletId raised = call.step("raised", BinaryOp::add, mean, epsilon);
  const OutletId factor = call.step("factor", UnaryOp::rsqrt, raised);
  return call.step("normalized", BinaryOp::mul, x, factor);
}

OutletIds read_rms_norm(Invocation& call) {
  const DatumType type = call.fact(call.wire("input")).dtype;
  return {as_type(call, "narrow", rms_normalized(call), type)};
}

/// The same times one number for each place along the axis; the types are those of the graph that
/// it stands for.
OutletIds read_scaled_rms_norm(Invocation& call) {
  const OutletId input = call.wire("input");
  const auto named_type = [&](std::string_view parameter, DatumType otherwise) {
    return call.string(parameter, "").empty() ? otherwise : call.datum_type(parameter);
  };
  const OutletId rounded =
      as_type(call, "rounded", rms_normalized(call), named_type("scale_dt", DatumType::f32));
  const OutletId wide = as_type(call, "wide_again", rounded, DatumType::f32);
  OutletId scale = as_type(call, "wide_scale", call.wire("scale"), DatumType::f32);
  const std::int64_t behind =
      static_cast<std::int64_t>(call.rank(input)) - 1 - call.integer("axis");
  if (behind < 0) call.fail("the axis lies beyond the input");
  if (behind > 0)
    scale =
        unsqueeze(call, "scale_column", scale, sequence_of(1, static_cast<std::size_t>(behind)));
  const OutletId scaled = call.step("scaled", BinaryOp::mul, wide, scale);
  return {as_type(call, "narrow", scaled, named_type("out_dt", call.fact(input).dtype))};
}

}  // namespace

void register_normalization(Writers& writers) { writers.add("Lrn", write_lrn); }

void register_normalization(Readers& readers) {
  readers.add("tract_onnx_lrn", "input, alpha, beta, bias, size", read_lrn);
  readers.add("local_response_normalization", "input, size, alpha, beta, bias",
              read_local_response);
  readers.add("tract_core_rms_norm", "input, axis, eps", read_rms_norm);
  readers.add("tract_transformers_rms_norm", "input, axis, eps", read_rms_norm);
  readers.add("tract_core_scaled_rms_norm", "input, scale, axis, eps, out_dt, scale_dt",
              read_scaled_rms_norm);
  readers.add("batch_normalization", "input, mean, variance, offset, scale, epsilon",
              read_batch_normalization);
}

}  // namespace strata::opl
