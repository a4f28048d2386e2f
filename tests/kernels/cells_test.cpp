#include <doctest/doctest.h>

#include <array>

#include "kernel_testing.h"

namespace strata::kernels::testing {
namespace {

constexpr Index kWidths[] = {1, 3, 4, 7, 8, 15, 16, 17, 37, 64};
constexpr Index kRows = 3;

/// Random values for the sums of `count` gates, side by side in rows, and the gates themselves.
struct Gates {
  Gates(Index count, Index hidden)
      : stride(count * hidden),
        product(noise(kRows * stride, 3)),
        added(noise(kRows * stride, 4)),
        bias(noise(stride, 5)) {}

  Index stride;
  std::vector<float> product, added, bias;
  bool has_added = true;
  bool has_bias = true;

  GateSum gate(Index begin) const {
    GateSum out{.product = product.data() + begin, .product_stride = stride};
    if (has_added) out.added = added.data() + begin;
    out.added_stride = stride;
    if (has_bias) out.bias = bias.data() + begin;
    return out;
  }
};

double value(const float* p, Index at) { return p ? static_cast<double>(p[at]) : 0; }

double product_at(const GateSum& gate, Index row, Index j) {
  return value(gate.product, row * gate.product_stride + j) + value(gate.bias, j);
}
double added_at(const GateSum& gate, Index row, Index j) {
  return value(gate.added, row * gate.added_stride + j);
}
double sum_at(const GateSum& gate, Index row, Index j) {
  return product_at(gate, row, j) + added_at(gate, row, j);
}

void check_lstm(LstmCell cell) {
  std::vector<double> next_h, next_c;
  for (Index row = 0; row < cell.rows; ++row) {
    for (Index j = 0; j < cell.hidden; ++j) {
      const double c = value(cell.c, row * cell.hidden + j);
      const auto peephole = [&](std::size_t i) { return value(cell.peepholes[i], j); };
      const double i = apply(cell.functions[0], sum_at(cell.input, row, j) + peephole(0) * c);
      const double f = apply(cell.functions[2], sum_at(cell.forget, row, j) + peephole(2) * c);
      const double g = apply(cell.functions[3], sum_at(cell.candidate, row, j));
      next_c.push_back(f * c + i * g);
      const double o =
          apply(cell.functions[1], sum_at(cell.output, row, j) + peephole(1) * next_c.back());
      next_h.push_back(o * apply(cell.functions[4], next_c.back()));
    }
  }
  for_each_isa([&](const KernelTable& t) {
    std::vector<float> h(next_h.size() + 1, 42.0f), c = h;
    cell.next_h = h.data();
    cell.next_c = c.data();
    t.lstm_cell(cell);
    CHECK(h.back() == 42.0f);
    CHECK(c.back() == 42.0f);
    h.pop_back();
    c.pop_back();
    CHECK(largest_error(h, next_h) < 1e-6);
    CHECK(largest_error(c, next_c) < 1e-6);
  });
}

void check_gru(GruCell cell) {
  std::vector<double> next_h, kept;
  for (Index row = 0; row < cell.rows; ++row) {
    for (Index j = 0; j < cell.hidden; ++j) {
      const double h = value(cell.h, row * cell.hidden + j);
      const double z = apply(cell.functions[0], sum_at(cell.update, row, j));
      const double r = apply(cell.functions[1], sum_at(cell.reset, row, j));
      double sum = product_at(cell.candidate, row, j);
      if (cell.reset_kind == GruReset::after_product) sum *= r;
      const double g = apply(cell.functions[2], sum + added_at(cell.candidate, row, j));
      next_h.push_back((1 - z) * g + z * h);
      kept.push_back(r * h);
    }
  }
  for_each_isa([&](const KernelTable& t) {
    std::vector<float> y(next_h.size() + 1, 42.0f);
    const auto check = [&](auto kernel, const std::vector<double>& expected) {
      cell.next_h = y.data();
      kernel(cell);
      CHECK(y.back() == 42.0f);
      CHECK(largest_error({y.begin(), y.end() - 1}, expected) < 1e-6);
    };
    check(t.gru_cell, next_h);
    check(t.gru_reset, kept);
  });
}

LstmCell lstm_of(const Gates& gates, Index hidden, const std::vector<float>& c) {
  LstmCell cell{.rows = kRows, .hidden = hidden};
  // Out of the order i, o, f, g.
  cell.candidate = gates.gate(0);
  cell.output = gates.gate(hidden);
  cell.input = gates.gate(2 * hidden);
  cell.forget = gates.gate(3 * hidden);
  for (std::size_t i = 0; i < 5; ++i) cell.functions[i].op = i < 3 ? Unary::sigmoid : Unary::tanh;
  cell.c = c.data();
  return cell;
}

GruCell gru_of(const Gates& gates, Index hidden, const std::vector<float>& h) {
  GruCell cell{.rows = kRows, .hidden = hidden};
  cell.candidate = gates.gate(0);
  cell.update = gates.gate(hidden);
  cell.reset = gates.gate(2 * hidden);
  for (std::size_t i = 0; i < 3; ++i) cell.functions[i].op = i < 2 ? Unary::sigmoid : Unary::tanh;
  cell.h = h.data();
  return cell;
}

}  // namespace

TEST_CASE("a step of an LSTM agrees with a double reference for all widths") {
  for (const Index hidden : kWidths) {
    CAPTURE(hidden);
    const auto c = noise(kRows * hidden, 6);
    for (const bool has_bias : {false, true}) {
      Gates gates(4, hidden);
      gates.has_bias = has_bias;
      check_lstm(lstm_of(gates, hidden, c));
      gates.has_added = false;
      check_lstm(lstm_of(gates, hidden, c));
    }
  }
}

TEST_CASE("peepholes of an LSTM see the old state, that of its output the new one") {
  for (const Index hidden : kWidths) {
    CAPTURE(hidden);
    const auto c = noise(kRows * hidden, 6), peepholes = noise(3 * hidden, 7);
    const Gates gates(4, hidden);
    LstmCell cell = lstm_of(gates, hidden, c);
    for (Index i = 0; i < 3; ++i) cell.peepholes[i] = peepholes.data() + i * hidden;
    check_lstm(cell);
  }
}

TEST_CASE("an LSTM may have any functions, each gate its own") {
  for (const Index hidden : kWidths) {
    CAPTURE(hidden);
    const auto c = noise(kRows * hidden, 6);
    const Gates gates(4, hidden);
    LstmCell cell = lstm_of(gates, hidden, c);
    const UnaryFunction functions[] = {{Unary::hard_sigmoid, 0.2f, 0.5f},
                                       {Unary::relu},
                                       {Unary::sigmoid},
                                       {Unary::leaky_relu, 0.1f},
                                       {Unary::abs}};
    std::copy(std::begin(functions), std::end(functions), cell.functions);
    check_lstm(cell);
  }
}

TEST_CASE(
    "a step of a GRU agrees with a double reference, its reset before and after the product") {
  for (const Index hidden : kWidths) {
    for (const GruReset reset : {GruReset::after_product, GruReset::before_product}) {
      CAPTURE(hidden);
      const auto h = noise(kRows * hidden, 6);
      Gates gates(3, hidden);
      GruCell cell = gru_of(gates, hidden, h);
      cell.reset_kind = reset;
      check_gru(cell);
      cell.functions[0] = {Unary::hard_sigmoid, 0.3f, 0.4f};
      cell.functions[1] = {Unary::relu};
      check_gru(cell);
      gates.has_bias = false;
      cell = gru_of(gates, hidden, h);
      cell.reset_kind = reset;
      check_gru(cell);
    }
  }
}

TEST_CASE("a cell without rows writes nothing") {
  for_each_isa([](const KernelTable& t) {
    float y = 42;
    const Gates gates(4, 4);
    const auto state = noise(12);
    LstmCell lstm = lstm_of(gates, 4, state);
    lstm.rows = 0;
    lstm.next_h = lstm.next_c = &y;
    t.lstm_cell(lstm);
    GruCell gru = gru_of(gates, 4, state);
    gru.rows = 0;
    gru.next_h = &y;
    t.gru_cell(gru);
    CHECK(y == 42);
  });
}

}  // namespace strata::kernels::testing
