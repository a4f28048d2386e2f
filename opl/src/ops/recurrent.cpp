#include <array>
#include <memory>

#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/builder_arithmetic.h"
#include "strata/core/ops/loop.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/split.h"

// The cells that tract keeps whole, taken apart into the ops that ONNX's LSTM and GRU become.

namespace strata::opl {
namespace {

OutletIds parts(Builder& b, OutletId whole, std::size_t count) {
  return b.wire(Split{-1, count}, {whole});
}
OutletId sigmoid(Builder& b, OutletId x) { return unary(b, UnaryOp::sigmoid, x); }
OutletId tanh(Builder& b, OutletId x) { return unary(b, UnaryOp::tanh, x); }

/// `sums` holds the gates input, output, forget and candidate side by side.
///
///   c' = forget * c + input * candidate,  h' = output * tanh(c')
OutletIds lstm_cell(Builder b, OutletId sums, OutletId c) {
  const OutletIds gates = parts(b, sums, 4);
  const OutletId input = sigmoid(b, gates[0]), output = sigmoid(b, gates[1]),
                 forget = sigmoid(b, gates[2]), candidate = tanh(b, gates[3]);
  const OutletId next_c = add(b, mul(b, forget, c), mul(b, input, candidate));
  return {mul(b, output, tanh(b, next_c)), next_c};
}

/// `x` and `state` are the products by the weights with their biases; each holds the gates update,
/// reset and candidate side by side.
///
///   candidate = tanh(x + reset * state),  h' = (1 - update) * candidate + update * h
OutletId gru_cell(Builder b, OutletId x, OutletId state, OutletId h) {
  const OutletIds of_x = parts(b, x, 3), of_h = parts(b, state, 3);
  const OutletId update = sigmoid(b, add(b, of_x[0], of_h[0]));
  const OutletId reset = sigmoid(b, add(b, of_x[1], of_h[1]));
  const OutletId candidate = tanh(b, add(b, of_x[2], mul(b, reset, of_h[2])));
  return add(b, mul(b, one_minus(b, update), candidate), mul(b, update, h));
}

/// The gates of the cells lie side by side along the last axis, and no operand stretches to
/// another.
void check_gates(Invocation& call, OutletId sums, OutletId state, std::int64_t gates) {
  const std::int64_t hidden = call.integer("hidden");
  if (call.rank(sums) != call.rank(state) || call.rank(sums) == 0)
    call.unsupported(
        cat("gates of rank ", call.rank(sums), " beside a state of rank ", call.rank(state)));
  const Dim &wide = call.fact(sums).shape.dims().back(),
            &own = call.fact(state).shape.dims().back();
  if (wide != Dim(hidden) * Dim(gates) || own != Dim(hidden))
    call.fail(cat(gates, " gates of ", hidden, " are wanted, not ", wide,
                  " numbers beside a state of ", own));
}

OutletIds read_lstm_epilogue(Invocation& call) {
  const OutletId sums = call.wire("preact"), c = call.wire("c_prev");
  check_gates(call, sums, c, 4);
  return lstm_cell(call.builder(), sums, c);
}

OutletIds read_gru_epilogue(Invocation& call) {
  const OutletId x = call.wire("xh"), state = call.wire("rh"), h = call.wire("h_prev");
  check_gates(call, x, h, 3);
  check_gates(call, state, h, 3);
  return {gru_cell(call.builder(), x, state, h)};
}

/// What one step of a GRU takes besides the row of its input.
struct GruLoop {
  OutletIds inputs;
  std::vector<LoopInput> entries;
  std::vector<Fact> facts;

  void add(const Invocation& call, LoopInput entry, OutletId wire) {
    Fact fact = call.fact(wire).without_value();
    if (entry.kind == LoopInput::Kind::scanned)
      fact = sliced(std::move(fact), entry.axis, entry.chunk);
    inputs.push_back(wire);
    entries.push_back(entry);
    facts.push_back(std::move(fact));
  }
};

/// The body of a GRU over rows of x that are multiplied by its weights already.
Body gru_body(const GruLoop& loop, const std::shared_ptr<SymbolScope>& symbols) {
  TypedModel body(symbols);
  constexpr std::array<std::string_view, 4> kNames{"x", "h", "r", "bias"};
  OutletIds in;
  for (std::size_t i = 0; i < loop.facts.size(); ++i)
    in.push_back(body.add_source(kNames[i], loop.facts[i]));
  Builder b(body, "cell");
  OutletId state = b.one(MatMul{.transpose_b = true}, {in[1], in[2]});
  if (in.size() > 3) state = add(b, state, in[3]);
  body.add_output("next", gru_cell(b, in[0], state, in[1]));
  return std::make_shared<const TypedModel>(std::move(body));
}

/// A whole layer over x [batch, steps, size], with the state [batch, 1, hidden].
OutletIds read_gru_seq(Invocation& call) {
  const bool is_projected = call.logical("projected", false);
  const bool has_bias = call.logical("has_bias", false);
  const std::int64_t chunk = call.integer("chunk");
  if (chunk != 1 && chunk != -1) call.unsupported(cat("steps of ", chunk, " rows"));
  const OutletId h = call.wire("initial_h"), r = call.wire("r");
  OutletId x = call.wire("x");
  if (call.rank(x) != 3 || call.rank(h) != 3)
    call.fail("x and initial_h must have 3 axes: batch, steps, numbers");
  OutletIds biases;
  if (has_bias) biases = call.steps("biases", Split{-1, 2}, {call.wire("b")});
  if (!is_projected) {
    x = call.step("product", MatMul{.transpose_b = true}, {x, call.wire("w")});
    if (has_bias) x = call.step("sum", BinaryOp::add, x, biases[0]);
  }
  check_gates(call, x, h, 3);
  GruLoop parts;
  parts.add(call, {LoopInput::Kind::scanned, 1, 1, chunk < 0}, x);
  parts.add(call, {LoopInput::Kind::carried}, h);
  parts.add(call, {LoopInput::Kind::invariant}, r);
  if (has_bias) parts.add(call, {LoopInput::Kind::invariant}, biases[1]);
  strata::Loop loop;
  loop.body = gru_body(parts, call.symbols());
  loop.inputs = std::move(parts.entries);
  loop.outputs = {{LoopOutput::Kind::stacked, 0, 1, chunk < 0}, {LoopOutput::Kind::last, 0}};
  return call.make(loop, parts.inputs);
}

}  // namespace

void register_recurrent(Readers& readers) {
  readers.add("tract_core_gru_epilogue", "xh, rh, h_prev, hidden", read_gru_epilogue);
  readers.add("tract_core_gru_seq",
              "x, w, r, b, initial_h, hidden, chunk, has_bias, reset_every_turn, emit_y, projected",
              read_gru_seq);
  readers.add("tract_core_lstm_epilogue", "preact, c_prev, hidden", read_lstm_epilogue);
}

}  // namespace strata::opl
