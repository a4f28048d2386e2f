#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/passes/cell_writer.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/matmul.h"
#include "support/lowered.h"

using namespace strata;
using namespace strata::tests;

namespace {

CellWriter lstm(Spelling spelling) {
  CellWriter w(std::move(spelling));
  const Spelling& s = w.s;
  w.h = w.source("h", {s.batch, kHidden});
  w.c = w.source("c", {s.batch, kHidden});
  OutletId x = w.x(4);
  const OutletId bias = w.noise({4 * kHidden});
  if (s.bias == Spelling::Bias::first) x = w.add(x, bias);
  w.sums = w.add(x, w.wire(MatMul{}, {w.h, w.noise({kHidden, 4 * kHidden})}));
  if (s.bias == Spelling::Bias::last) w.sums = w.add(w.sums, bias);
  const OutletIds parts = w.cut(w.sums, 4);
  const auto gate = [&](std::size_t i, OutletId seen, const TypedOp& function) {
    OutletId sum = parts[static_cast<std::size_t>(s.places[i])];
    if (s.peepholes.contains(i)) sum = w.add(sum, w.mul(w.noise({kHidden}), seen));
    w.gates.push_back(w.wire(function, {sum}));
    return w.gates.back();
  };
  const OutletId input = gate(0, w.c, s.gate), forget = gate(2, w.c, s.gate);
  const OutletId candidate = gate(3, w.c, s.squash);
  w.next_c = w.add(w.mul(forget, w.c), w.mul(input, candidate));
  w.next_h = w.mul(gate(1, w.next_c, s.gate), w.wire(s.squash, {w.next_c}));
  w.model.add_output("next_h", w.next_h);
  w.model.add_output("next_c", w.next_c);
  return w;
}

CellWriter gru_reset_after(Spelling spelling) {
  CellWriter w(std::move(spelling));
  const Spelling& s = w.s;
  w.h = w.source("h", {s.batch, kHidden});
  const OutletIds x = w.cut(w.x(3), 3);
  w.sums = w.wire(MatMul{.transpose_b = true}, {w.h, w.noise({3 * kHidden, kHidden})});
  if (s.bias != Spelling::Bias::none) w.sums = w.add(w.sums, w.noise({3 * kHidden}));
  const OutletIds y = w.cut(w.sums, 3);
  const auto at = [&](const OutletIds& parts, std::size_t i) {
    return parts[static_cast<std::size_t>(s.places[i])];
  };
  const OutletId z = w.wire(s.gate, {w.add(at(x, 0), at(y, 0))});
  const OutletId r = w.wire(s.gate, {w.add(at(x, 1), at(y, 1))});
  const OutletId g = w.wire(s.squash, {w.add(at(x, 2), w.mul(r, at(y, 2)))});
  w.gates = {z, r, g};
  const OutletId one = w.model.constant("one", Tensor::scalar(1.0f));
  w.next_h = w.add(w.mul(w.binary(BinaryOp::sub, one, z), g), w.mul(z, w.h));
  w.model.add_output("next_h", w.next_h);
  return w;
}

CellWriter gru_reset_before(Spelling spelling) {
  CellWriter w(std::move(spelling));
  const Spelling& s = w.s;
  w.h = w.source("h", {s.batch, kHidden});
  const OutletIds x = w.cut(w.x(3), 3);
  const auto product = [&](OutletId state, MatMul op) {
    return w.wire(op, {state, w.noise({kHidden, kHidden})});
  };
  const auto at = [&](std::size_t i) { return x[static_cast<std::size_t>(s.places[i])]; };
  const OutletId z = w.wire(s.gate, {w.add(at(0), product(w.h, {}))});
  const OutletId r = w.wire(s.gate, {w.add(at(1), product(w.h, {.transpose_b = true}))});
  const OutletId g = w.wire(s.squash, {w.add(at(2), product(w.mul(r, w.h), {}))});
  w.gates = {z, r, g};
  const OutletId one = w.model.constant("one", Tensor::scalar(1.0f));
  w.next_h = w.add(w.mul(w.binary(BinaryOp::sub, one, z), g), w.mul(z, w.h));
  w.model.add_output("next_h", w.next_h);
  return w;
}

/// Checks that optimising leaves `kernels` nodes of this op, and the results as they were.
void check_lowered_to(const TypedModel& model, std::string_view kernel, std::size_t kernels) {
  Noise random(3);
  ValueList inputs;
  for (std::size_t i = 0; i < model.inputs().size(); ++i) {
    Shape shape;
    for (const Dim& dim : model.input_fact(i).shape.dims())
      shape.push_back(dim.constant().value_or(kBatch));
    MutableTensor value(DatumType::f32, shape);
    for (float& v : value.as<float>()) v = static_cast<float>(random.number(-100, 100)) / 64;
    inputs.emplace_back(std::move(value).freeze());
  }
  const ValueList expected = run_model(model, inputs);
  for (const Isa isa : supported_isas()) {
    CAPTURE(to_string(isa));
    TypedModel lowered = model;
    optimise(lowered, Target{isa});
    CHECK(count_of_op(lowered, kernel) == kernels);
    check_all_close(run_model(lowered, inputs), expected, 1e-6, 2e-6);
  }
}

struct NamedSpelling {
  std::string name;
  Spelling spelling;
};

std::vector<NamedSpelling> spellings() {
  const TypedOp hard = Activation{ActivationKind::hard_sigmoid, 0.2f, 0.5f};
  return {
      {"plain", {}},
      {"slices", {.cut = Spelling::Cut::slices}},
      {"operands swapped", {.order = Spelling::Order::swapped}},
      {"no bias", {.bias = Spelling::Bias::none}},
      {"a bias of x", {.bias = Spelling::Bias::first}},
      {"a squeezed row of x", {.x = Spelling::X::row}},
      {"other functions", {.gate = hard, .squash = Unary{UnaryOp::relu}}},
      {"a batch of one", {.batch = 1}},
      {"a batch of one in a squeezed row", {.x = Spelling::X::row, .batch = 1}},
      {"a batch of any size", {.batch = Dim::symbol("N")}},
  };
}

}  // namespace

TEST_SUITE("cell lowering") {
  TEST_CASE("an LSTM step is one kernel however it is written") {
    for (NamedSpelling& c : spellings()) {
      CAPTURE(c.name);
      check_lowered_to(lstm(c.spelling).model, "LstmCellKernel", 1);
      c.spelling.peepholes = {0, 1, 2};
      check_lowered_to(lstm(c.spelling).model, "LstmCellKernel", 1);
      c.spelling.places = {3, 1, 0, 2};
      check_lowered_to(lstm(c.spelling).model, "LstmCellKernel", 1);
    }
  }

  TEST_CASE("a gate without a peephole does not see the state") {
    TypedModel model = lstm({.peepholes = {0}}).model;
    ValueList inputs;
    for (std::size_t i = 0; i < model.inputs().size(); ++i) {
      MutableTensor value(DatumType::f32, *model.input_fact(i).shape.concrete());
      const bool is_c = model.input_name(i) == "c";
      std::ranges::fill(value.as<float>(), is_c ? std::numeric_limits<float>::infinity() : 0.5F);
      inputs.emplace_back(std::move(value).freeze());
    }
    const Tensor expected = run_model(model, inputs)[0].tensor();
    optimise(model);
    CHECK(count_of_op(model, "LstmCellKernel") == 1);
    const Tensor actual = run_model(model, inputs)[0].tensor();
    // Some peepholes are 0, and see 0 * inf; a gate without one must not.
    const auto is_finite = [](float v) { return std::isfinite(v); };
    CHECK(std::ranges::any_of(expected.as<float>(), is_finite));
    for (std::int64_t i = 0; i < expected.size(); ++i) {
      const float v = expected.as<float>()[i];
      CHECK(std::isfinite(actual.as<float>()[i]) == is_finite(v));
      if (is_finite(v)) CHECK(actual.as<float>()[i] == doctest::Approx(v));
    }
  }

  TEST_CASE("a GRU step is one kernel however it is written") {
    for (NamedSpelling& c : spellings()) {
      CAPTURE(c.name);
      check_lowered_to(gru_reset_after(c.spelling).model, "GruCellKernel", 1);
      check_lowered_to(gru_reset_before(c.spelling).model, "GruCellKernel", 1);
      c.spelling.places = {2, 0, 1};
      check_lowered_to(gru_reset_after(c.spelling).model, "GruCellKernel", 1);
      check_lowered_to(gru_reset_before(c.spelling).model, "GruCellKernel", 1);
    }
  }

  TEST_CASE("a cell's one kernel takes the place of all its ops") {
    TypedModel model = lstm({}).model;
    optimise(model);
    CHECK(model.live_nodes() == 6);  // h, c, x, packed weights, the bias and the kernel
    TypedModel gru = gru_reset_before({}).model;
    optimise(gru);
    CHECK(gru.live_nodes() == 5);  // h, x, two packed weights and the kernel
  }

  TEST_CASE("a cell with a value that something else reads keeps its ops") {
    for (const std::size_t gate : {0, 1, 2, 3}) {
      CellWriter w = lstm({});
      w.model.add_output("gate", w.gates[gate]);
      check_lowered_to(w.model, "LstmCellKernel", 0);
    }
    CellWriter w = lstm({});
    w.model.add_output("sums", w.sums);
    check_lowered_to(w.model, "LstmCellKernel", 0);
    for (const auto& make : {gru_reset_after, gru_reset_before}) {
      for (const std::size_t gate : {0, 1, 2}) {
        CellWriter gru = make({});
        gru.model.add_output("gate", gru.gates[gate]);
        check_lowered_to(gru.model, "GruCellKernel", 0);
      }
    }
    CellWriter gru = gru_reset_after({});
    gru.model.add_output("sums", gru.sums);
    check_lowered_to(gru.model, "GruCellKernel", 0);
  }

  TEST_CASE("both states of a cell may be read by anything") {
    CellWriter w = lstm({});
    w.model.add_output("y", w.add(w.next_h, w.next_c));
    check_lowered_to(w.model, "LstmCellKernel", 1);
  }

  TEST_CASE("what is nearly a cell keeps its ops") {
    // A function that no kernel has.
    check_lowered_to(lstm({.gate = Unary{UnaryOp::reciprocal}}).model, "LstmCellKernel", 0);
    check_lowered_to(gru_reset_after({.gate = Unary{UnaryOp::reciprocal}}).model, "GruCellKernel",
                     0);
    // One gate used twice, another not at all.
    CellWriter w = lstm({.places = {0, 1, 0, 3}});
    check_lowered_to(w.model, "LstmCellKernel", 0);
  }

  TEST_CASE("steps of a GRU that share weights share the packed ones") {
    Noise random(5);
    TypedModel model;
    const auto row = [&](std::string_view name) {
      return model.add_source(std::string(name), Fact::tensor(DatumType::f32, Shape{1, kHidden}));
    };
    std::array<OutletId, 3> weights;
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = model.constant(cat("w", i), random.tensor(DatumType::f32, {kHidden, kHidden}));
    const OutletId one = model.constant("one", Tensor::scalar(1.0F));
    OutletId h = row("h");
    for (int step = 0; step < 2; ++step) {
      int count = 0;
      const auto wire = [&](const TypedOp& op, const OutletIds& in) {
        return model.wire_one(cat("step", step, ".", count++), op, in);
      };
      const auto sum = [&](std::string_view x, OutletId left, OutletId right) {
        return wire(Binary{BinaryOp::add}, {row(cat(x, step)), wire(MatMul{}, {left, right})});
      };
      const OutletId z = wire(Unary{UnaryOp::sigmoid}, {sum("z", h, weights[0])});
      const OutletId r = wire(Unary{UnaryOp::sigmoid}, {sum("r", h, weights[1])});
      const OutletId reset = wire(Binary{BinaryOp::mul}, {r, h});
      const OutletId g = wire(Unary{UnaryOp::tanh}, {sum("g", reset, weights[2])});
      const OutletId rest = wire(Binary{BinaryOp::sub}, {one, z});
      h = wire(Binary{BinaryOp::add},
               {wire(Binary{BinaryOp::mul}, {rest, g}), wire(Binary{BinaryOp::mul}, {z, h})});
    }
    model.add_output("y", h);
    optimise(model);
    std::vector<OutletIds> packed;
    for (const TypedNode& node : model.nodes())
      if (!node.erased && node.op && node.op.name() == "GruCellKernel")
        packed.push_back({node.inputs[1], node.inputs[2]});
    REQUIRE(packed.size() == 2);
    CHECK(packed[0] == packed[1]);
  }

  TEST_CASE("a GRU that blends its states in another way keeps its ops") {
    enum class Blend { other_way_round, of_two };
    for (const Blend blend : {Blend::other_way_round, Blend::of_two}) {
      CellWriter w({});
      w.h = w.source("h", {kBatch, kHidden});
      const OutletIds x = w.cut(w.x(3), 3);
      const OutletIds y = w.cut(w.wire(MatMul{}, {w.h, w.noise({kHidden, 3 * kHidden})}), 3);
      const OutletId z = w.wire(w.s.gate, {w.add(x[0], y[0])});
      const OutletId r = w.wire(w.s.gate, {w.add(x[1], y[1])});
      const OutletId g = w.wire(w.s.squash, {w.add(x[2], w.mul(r, y[2]))});
      const bool is_swapped = blend == Blend::other_way_round;
      const OutletId whole = w.model.constant("whole", Tensor::scalar(is_swapped ? 1.0f : 2.0f));
      const OutletId rest = w.binary(BinaryOp::sub, whole, z);
      w.model.add_output("next_h",
                         w.add(w.mul(rest, is_swapped ? w.h : g), w.mul(z, is_swapped ? g : w.h)));
      check_lowered_to(w.model, "GruCellKernel", 0);
    }
  }

  TEST_CASE("a product takes up a wire as large as itself that is added to it") {
    for (const UnaryOp function : {UnaryOp::tanh, UnaryOp::relu}) {
      for (const Dim& batch : {Dim(kBatch), Dim(1), Dim::symbol("N")}) {
        for (const Spelling::X x : {Spelling::X::plane, Spelling::X::row}) {
          for (const Spelling::Order order :
               {Spelling::Order::as_written, Spelling::Order::swapped}) {
            CellWriter w({.order = order, .x = x, .batch = batch});
            w.h = w.source("h", {batch, kHidden});
            const OutletId product = w.wire(MatMul{}, {w.h, w.noise({kHidden, 3 * kHidden})});
            const OutletId sum = w.add(w.add(w.x(3), product), w.noise({3 * kHidden}));
            w.model.add_output("next_h", w.wire(Unary{function}, {sum}));
            check_lowered_to(w.model, "MatMulKernel", 1);
            optimise(w.model);
            CHECK(w.model.live_nodes() == 5);  // h, x, packed weights, the bias and the kernel
          }
        }
      }
    }
  }

  TEST_CASE("a product that is smaller than what is added to it is spread over it") {
    CellWriter w({});
    const OutletId row = w.source("row", {1, kHidden});
    const OutletId product = w.wire(MatMul{}, {row, w.noise({kHidden, kHidden})});
    w.model.add_output("y", w.add(w.source("y0", {kBatch, kHidden}), product));
    check_lowered_to(w.model, "MatMulKernel", 1);
    CHECK(w.model.output_fact(0).shape == ShapeFact(Shape{kBatch, kHidden}));
  }
}
