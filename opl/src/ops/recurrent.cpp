#include <array>
#include <functional>
#include <memory>

#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/loop.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/unary.h"

// The cells that tract keeps whole, taken apart into the ops that ONNX's LSTM and GRU become.

namespace strata::opl {
namespace {

/// Wires an op of a cell, in a graph or in the body of a loop.
using Step = std::function<OutletIds(std::string_view hint, TypedOp op, const OutletIds& inputs)>;

/// The arithmetic of a cell.
class Cell {
 public:
  explicit Cell(Step step) : step_(std::move(step)) {}

  OutletIds parts(std::string_view hint, OutletId whole, std::size_t count) const {
    return step_(hint, Split{-1, count}, {whole});
  }
  OutletId sum(std::string_view hint, OutletId a, OutletId b) const {
    return step_(hint, strata::Binary{BinaryOp::add}, {a, b})[0];
  }
  OutletId difference(std::string_view hint, OutletId a, OutletId b) const {
    return step_(hint, strata::Binary{BinaryOp::sub}, {a, b})[0];
  }
  OutletId product(std::string_view hint, OutletId a, OutletId b) const {
    return step_(hint, strata::Binary{BinaryOp::mul}, {a, b})[0];
  }
  OutletId sigmoid(std::string_view hint, OutletId a) const {
    return step_(hint, strata::Unary{UnaryOp::sigmoid}, {a})[0];
  }
  OutletId tanh(std::string_view hint, OutletId a) const {
    return step_(hint, strata::Unary{UnaryOp::tanh}, {a})[0];
  }

 private:
  Step step_;
};

Step steps_of(Invocation& call) {
  return [&call](std::string_view hint, TypedOp op, const OutletIds& inputs) {
    return call.steps(hint, op, inputs);
  };
}

/// `sums` holds the gates input, output, forget and candidate side by side.
///
///   c' = forget * c + input * candidate,  h' = output * tanh(c')
OutletIds lstm_cell(const Cell& cell, OutletId sums, OutletId c) {
  const OutletIds gates = cell.parts("gates", sums, 4);
  const OutletId input = cell.sigmoid("input", gates[0]);
  const OutletId output = cell.sigmoid("output", gates[1]);
  const OutletId forget = cell.sigmoid("forget", gates[2]);
  const OutletId candidate = cell.tanh("candidate", gates[3]);
  const OutletId next_c =
      cell.sum("c", cell.product("kept", forget, c), cell.product("added", input, candidate));
  return {cell.product("h", output, cell.tanh("seen", next_c)), next_c};
}

/// `x` and `state` are the products by the weights with their biases; each holds the gates update,
/// reset and candidate side by side. `one` is a scalar.
///
///   candidate = tanh(x + reset * state),  h' = (1 - update) * candidate + update * h
OutletId gru_cell(const Cell& cell, OutletId x, OutletId state, OutletId h, OutletId one) {
  const OutletIds of_x = cell.parts("x_gates", x, 3), of_h = cell.parts("h_gates", state, 3);
  const OutletId update = cell.sigmoid("update", cell.sum("update_sum", of_x[0], of_h[0]));
  const OutletId reset = cell.sigmoid("reset", cell.sum("reset_sum", of_x[1], of_h[1]));
  const OutletId candidate = cell.tanh(
      "candidate", cell.sum("candidate_sum", of_x[2], cell.product("seen", reset, of_h[2])));
  return cell.sum("h", cell.product("changed", cell.difference("rest", one, update), candidate),
                  cell.product("kept", update, h));
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
  return lstm_cell(Cell(steps_of(call)), sums, c);
}

OutletIds read_gru_epilogue(Invocation& call) {
  const OutletId x = call.wire("xh"), state = call.wire("rh"), h = call.wire("h_prev");
  check_gates(call, x, h, 3);
  check_gates(call, state, h, 3);
  const OutletId one = call.number_constant("one", call.fact(h).dtype, 1);
  return {gru_cell(Cell(steps_of(call)), x, state, h, one)};
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
  MatMul by_weights;
  by_weights.transpose_b = true;
  OutletId state = body.wire_one("state", by_weights, {in[1], in[2]});
  if (in.size() > 3)
    state = body.wire_one("state_sum", strata::Binary{BinaryOp::add}, {state, in[3]});
  const OutletId one = body.constant("one", cast(Tensor::scalar(1.0), loop.facts[1].dtype));
  const Cell cell([&](std::string_view hint, TypedOp op, const OutletIds& inputs) {
    return body.wire(body.unique_name(cat("cell_", hint)), std::move(op), inputs);
  });
  body.add_output("next", gru_cell(cell, in[0], state, in[1], one));
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
    MatMul by_weights;
    by_weights.transpose_b = true;
    x = call.step("product", by_weights, {x, call.wire("w")});
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
