#pragma once

#include "kernels/impl/unary.h"

/// The gates of recurrent cells, a vector of hidden units at a time.
namespace strata::kernels {
namespace {

/// A whole vector of a row.
struct WholeLanes {
  Vf load(const float* p) const { return kernels::load(p); }
  void store(float* p, Vf v) const { kernels::store(p, v); }
};

/// The first lanes of a vector, at the end of a row.
struct FirstLanes {
  Index count;
  Vf load(const float* p) const { return load_first(p, count); }
  void store(float* p, Vf v) const { store_first(p, v, count); }
};

/// Calls visit(row, column, lanes) for all rows of n columns.
template <class Visit>
inline void for_each_lanes(Index rows, Index n, Visit visit) {
  for (Index r = 0; r < rows; ++r) {
    Index j = 0;
    for (; j + kLanes <= n; j += kLanes) visit(r, j, WholeLanes{});
    if (j < n) visit(r, j, FirstLanes{n - j});
  }
}

template <class Lanes>
inline Vf product_of(const GateSum& gate, Index row, Index column, Lanes lanes) {
  Vf sum = lanes.load(gate.product + row * gate.product_stride + column);
  if (gate.bias) sum += lanes.load(gate.bias + column);
  return sum;
}

template <class Lanes>
inline Vf added_to(Vf sum, const GateSum& gate, Index row, Index column, Lanes lanes) {
  if (!gate.added) return sum;
  return sum + lanes.load(gate.added + row * gate.added_stride + column);
}

template <class Lanes>
inline Vf sum_of(const GateSum& gate, Index row, Index column, Lanes lanes) {
  return added_to(product_of(gate, row, column, lanes), gate, row, column, lanes);
}

/// Functions of the gates, chosen by their number within a cell.
struct AnyFunctions {
  const UnaryFunction* functions;
  Vf operator()(int i, Vf v) const {
    alignas(kVectorBytes) float x[kLanes];
    store(x, v);
    unary(functions[i], x, x, kLanes);
    return load(x);
  }
};

/// The functions that cells have by default: sigmoid, but tanh from number `first_tanh` on.
struct DefaultFunctions {
  int first_tanh;
  Vf operator()(int i, Vf v) const { return i < first_tanh ? sigmoid(v) : tanh(v); }
};

inline bool are_default(const UnaryFunction* functions, int count, int first_tanh) {
  for (int i = 0; i < count; ++i)
    if (functions[i].op != (i < first_tanh ? Unary::sigmoid : Unary::tanh)) return false;
  return true;
}

template <class Functions>
inline void run_lstm(const LstmCell& cell, Functions f) {
  for_each_lanes(cell.rows, cell.hidden, [&](Index row, Index column, auto lanes) {
    const Index at = row * cell.hidden + column;
    const auto sum = [&](const GateSum& gate, const float* peephole, Vf seen) {
      const Vf plain = sum_of(gate, row, column, lanes);
      return peephole ? fma(lanes.load(peephole + column), seen, plain) : plain;
    };
    const Vf c = lanes.load(cell.c + at);
    const Vf input = f(0, sum(cell.input, cell.peepholes[0], c));
    const Vf forget = f(2, sum(cell.forget, cell.peepholes[2], c));
    const Vf candidate = f(3, sum_of(cell.candidate, row, column, lanes));
    const Vf next_c = fma(forget, c, input * candidate);
    const Vf output = f(1, sum(cell.output, cell.peepholes[1], next_c));
    lanes.store(cell.next_c + at, next_c);
    lanes.store(cell.next_h + at, output * f(4, next_c));
  });
}

template <class Functions>
inline void run_gru(const GruCell& cell, Functions f) {
  for_each_lanes(cell.rows, cell.hidden, [&](Index row, Index column, auto lanes) {
    const Index at = row * cell.hidden + column;
    const Vf h = lanes.load(cell.h + at);
    const Vf update = f(0, sum_of(cell.update, row, column, lanes));
    Vf sum = product_of(cell.candidate, row, column, lanes);
    if (cell.reset_kind == GruReset::after_product)
      sum *= f(1, sum_of(cell.reset, row, column, lanes));
    const Vf candidate = f(2, added_to(sum, cell.candidate, row, column, lanes));
    lanes.store(cell.next_h + at, fma(update, h, (1.0f - update) * candidate));
  });
}

void lstm_cell(const LstmCell& cell) noexcept {
  if (are_default(cell.functions, 5, 3)) return run_lstm(cell, DefaultFunctions{3});
  run_lstm(cell, AnyFunctions{cell.functions});
}

void gru_cell(const GruCell& cell) noexcept {
  if (are_default(cell.functions, 3, 2)) return run_gru(cell, DefaultFunctions{2});
  run_gru(cell, AnyFunctions{cell.functions});
}

void gru_reset(const GruCell& cell) noexcept {
  const AnyFunctions f{cell.functions};
  for_each_lanes(cell.rows, cell.hidden, [&](Index row, Index column, auto lanes) {
    const Index at = row * cell.hidden + column;
    const Vf reset = f(1, sum_of(cell.reset, row, column, lanes));
    lanes.store(cell.next_h + at, reset * lanes.load(cell.h + at));
  });
}

}  // namespace
}  // namespace strata::kernels
