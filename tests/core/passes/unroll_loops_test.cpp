#include <doctest/doctest.h>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/random.h"
#include "strata/core/ops/reduce.h"
#include "support/integers.h"
#include "support/models.h"
#include "support/op_case.h"
#include "support/rule_count.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// Running sums over `trips` rows, each by a loop of its own, and a chain of products.
TypedModel loops_and_chain(int loops, std::int64_t trips, int products) {
  TypedModel model;
  const OutletId start = model.add_source("start", float_fact(Shape{1})),
                 xs = model.add_source("xs", float_fact(Shape{trips}));
  OutletId chain = start;
  for (int i = 0; i < products; ++i)
    chain = model.wire_one(cat("chain", i), Binary{BinaryOp::mul}, {chain, start});
  model.add_output("chain", chain);
  for (int i = 0; i < loops; ++i) {
    Loop loop;
    loop.body = running_sum_body(model.symbol_scope());
    loop.inputs = {{LoopInput::Kind::carried}, kScanned};
    loop.outputs = {{LoopOutput::Kind::last, 0}};
    const OutletId first =
        model.wire_one(cat("first", i), Binary{BinaryOp::add},
                       {start, model.constant(cat("shift", i), floats({static_cast<float>(i)}))});
    model.add_output(cat("sum", i), model.wire_one(cat("loop", i), loop, {first, xs}));
  }
  return model;
}

constexpr std::int64_t kWide = 160;  // whose square is more than what is compared at a glance

/// h' = x + h W for each of three x.
TypedModel recurrent_model() {
  MutableTensor weights = MutableTensor::zeros(DatumType::f32, {kWide, kWide});
  for (std::size_t i = 0; i < kWide; ++i) weights.as<float>()[i * kWide + (i + 1) % kWide] = 2;
  TypedModel model;
  TypedModel body(model.symbol_scope());
  const Fact row = float_fact(Shape{1, kWide});
  const OutletId h = body.add_source("h", row), x = body.add_source("x", row);
  const OutletId product =
      body.wire_one("product", MatMul{}, {h, body.constant("w", std::move(weights).freeze())});
  body.add_output("next", body.wire_one("next", Binary{BinaryOp::add}, {x, product}));
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::carried}, kScanned};
  loop.outputs = {{LoopOutput::Kind::last, 0}};
  const OutletId start = model.add_source("start", row);
  const OutletId rows = model.add_source("rows", float_fact(Shape{3, kWide}));
  model.add_output("y", model.wire_one("loop", loop, {start, rows}));
  return model;
}

}  // namespace

TEST_SUITE("unroll loops") {
  TEST_CASE("a loop of three trips becomes three additions and a concatenation") {
    for (const auto& [scanned, stacked] :
         {std::pair{kScanned, kStacked}, std::pair{kScannedBackward, kStackedBackward}}) {
      TypedModel model = running_sum_model(Shape{3}, scanned, stacked);
      const ValueList inputs{floats({10}), floats({1, 2, 3})};
      const ValueList before = run_model(model, inputs);
      const RewriteReport report = declutter(model);
      CHECK(report.firings.at("unroll_loops") == 1);
      CHECK(count_of<Loop>(model) == 0);
      CHECK(count_of<Binary>(model) == 3);
      CHECK(count_of<Concat>(model) == 1);
      const ValueList after = run_model(model, inputs);
      check_close(after[0], before[0]);
      check_close(after[1], before[1]);
    }
  }

  TEST_CASE("a loop that draws numbers of one seed stays a loop") {
    TypedModel body;
    const OutletId x = body.add_source("x", float_fact(Shape{1}));
    const OutletId drawn = body.wire_one(
        "drawn", Random{.seed = 7}, {body.constant("shape", Tensor::of<std::int64_t>({1}, {1}))});
    body.add_output("sum", body.wire_one("sum", Binary{BinaryOp::add}, {x, drawn}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {kScanned};
    loop.outputs = {{LoopOutput::Kind::stacked, 0}};
    TypedModel model;
    const OutletId xs = model.add_source("xs", float_fact(Shape{3}));
    model.add_output("sums", model.wire("loop", loop, {xs})[0]);
    const ValueList inputs{floats({0, 0, 0})};
    const ValueList before = run_model(model, inputs);
    CHECK_FALSE(declutter(model).firings.contains("unroll_loops"));
    CHECK(run_model(model, inputs) == before);
    const auto draws = before[0].tensor().as<float>();
    CHECK(draws[0] != draws[1]);
    CHECK(draws[1] != draws[2]);
  }

  TEST_CASE("a loop beyond the budget stays a loop") {
    TypedModel model = running_sum_model(Shape{100}, kScanned, kStacked);
    Limits limits;
    limits.unroll_nodes = 50;
    CHECK_FALSE(declutter(model, limits).firings.contains("unroll_loops"));
  }

  TEST_CASE("a loop of 64 trips is laid out, one of 65 stays") {
    for (const std::int64_t trips : {64, 65}) {
      TypedModel model = running_sum_model(Shape{trips}, kScanned, kStacked);
      CHECK(declutter(model).firings.contains("unroll_loops") == (trips == 64));
    }
  }

  TEST_CASE("a small part of a model does not come to more than double it") {
    for (const std::int64_t trips : {5, 50}) {
      TypedModel model = running_sum_model(Shape{trips}, kScanned, kStacked);
      OutletId chain = model.inputs()[1];
      for (int i = 0; i < 40; ++i)
        chain = model.wire_one(cat("chain", i), Binary{BinaryOp::mul}, {chain, chain});
      model.add_output("chain", chain);
      CHECK(declutter(model).firings.contains("unroll_loops") == (trips == 5));
    }
  }

  TEST_CASE("loops come to more than double a model together, or stay together") {
    // Twelve copies of three nodes: one loop may, of eight none does; the chain makes none the main
    // part.
    for (const int loops : {1, 8}) {
      TypedModel model = loops_and_chain(loops, 12, 40);
      const std::size_t before = model.total_nodes();
      const RewriteReport report = declutter(model);
      const std::size_t fired =
          report.firings.contains("unroll_loops") ? report.firings.at("unroll_loops") : 0;
      CHECK(fired == (loops == 1 ? 1 : 0));
      CHECK(model.total_nodes() <= 2 * before);
      CHECK_FALSE(declutter(model).firings.contains("unroll_loops"));
    }
  }

  TEST_CASE("unroll_trips is the most trips a loop is laid out for") {
    for (const std::int64_t most : {0, 1, 99, 100}) {
      TypedModel model = running_sum_model(Shape{100}, kScanned, kStacked);
      Limits limits;
      limits.unroll_trips = most;
      CHECK(declutter(model, limits).firings.contains("unroll_loops") == (most == 100));
    }
  }

  TEST_CASE("who lifts unroll_nodes to the limit of nodes is not asked for proportion") {
    for (const bool is_lifted : {false, true}) {
      TypedModel model = loops_and_chain(2, 200, 100);
      Limits limits;
      limits.unroll_trips = 200;
      if (is_lifted) limits.unroll_nodes = limits.nodes;
      CHECK(declutter(model, limits).firings.contains("unroll_loops") == is_lifted);
    }
    TypedModel model = loops_and_chain(2, 200, 100);
    Limits limits;
    limits.unroll_trips = 200;
    limits.unroll_nodes = limits.nodes = 1000;  // 1,200 nodes are more
    CHECK_FALSE(declutter(model, limits).firings.contains("unroll_loops"));
  }

  TEST_CASE("a loop with large constants stays a loop") {
    for (const std::int64_t size : {8, 1 << 20}) {
      TypedModel body;
      const OutletId sum = body.add_source("sum", float_fact(Shape{size})),
                     weights = body.constant(
                         "weights", MutableTensor::zeros(DatumType::f32, Shape{size}).freeze());
      body.add_output("next", body.wire_one("next", Binary{BinaryOp::sub}, {weights, sum}));
      TypedModel model(body.symbol_scope());
      Loop loop;
      loop.body = std::make_shared<TypedModel>(std::move(body));
      loop.inputs = {{LoopInput::Kind::carried}};
      loop.outputs = {{LoopOutput::Kind::last, 0}};
      loop.has_trip_count = true;
      const OutletId start = model.add_source("start", float_fact(Shape{size}));
      model.add_output("out",
                       model.wire_one("loop", loop, {model.constant("trips", integer(8)), start}));
      CHECK(declutter(model).firings.contains("unroll_loops") == (size == 8));
    }
  }

  TEST_CASE("a loop around one whose value grows stays a loop") {
    for (const bool grows : {false, true}) {
      TypedModel inner;
      const Fact any_rows = float_fact(std::vector<Dim>{inner.symbols().fresh()});
      const OutletId v = inner.add_source("v", grows ? any_rows : float_fact(Shape{1}));
      inner.add_output("v_on", grows ? inner.wire_one("on", Concat{0}, {v, v})
                                     : inner.wire_one("on", Binary{BinaryOp::add}, {v, v}));
      Loop growing;
      growing.body = std::make_shared<TypedModel>(std::move(inner));
      growing.inputs = {{LoopInput::Kind::carried}};
      growing.outputs = {{LoopOutput::Kind::last, 0}};
      growing.has_trip_count = true;
      TypedModel body;
      const OutletId count = body.add_source("count", Fact::tensor(DatumType::i64, Shape{}));
      const OutletId x = body.add_source("x", float_fact(Shape{1}));
      (void)body.add_source("row", float_fact(Shape{1}));
      const OutletId grown = body.wire_one("grown", growing, {count, x});
      body.add_output("next", x);
      body.add_output("grown", body.wire_one("sum", Reduce{Reduction::sum, true},
                                             {grown, body.constant("axes", integers({0}))}));
      Loop loop;
      loop.body = std::make_shared<TypedModel>(std::move(body));
      loop.inputs = {{LoopInput::Kind::invariant}, {LoopInput::Kind::carried}, kScanned};
      loop.outputs = {{LoopOutput::Kind::stacked, 1, 0, false}};
      TypedModel model = model_of(
          loop, {Fact::tensor(DatumType::i64, Shape{}), float_fact(Shape{1}), float_fact(Shape{3})},
          {0});
      CHECK(declutter(model).firings.contains("unroll_loops") == !grows);
    }
  }

  TEST_CASE("a loop of many trips is no rule that goes round in circles") {
    TypedModel body;
    const OutletId x = body.add_source("x", float_fact(Shape{}));
    OutletId next = x;
    for (int i = 0; i < 10; ++i)
      next = body.wire_one(
          cat("next", i), Binary{BinaryOp::add},
          {next, body.wire_one(cat("half", i), Binary{BinaryOp::mul},
                               {body.constant(cat("a", i), Tensor::scalar(0.5F)),
                                body.constant(cat("b", i), Tensor::scalar(0.25F * i))})});
    body.add_output("next", next);
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{LoopInput::Kind::carried}};
    loop.outputs = {{LoopOutput::Kind::last, 0}};
    loop.has_trip_count = true;
    TypedModel model =
        model_of(loop, {Fact::of(Tensor::scalar<std::int64_t>(12'000)), float_fact(Shape{})}, {0});
    Limits limits;
    limits.unroll_trips = 12'000;
    limits.unroll_nodes = limits.unroll_bytes = 1 << 30;
    CHECK_NOTHROW(declutter(model, limits));
  }

  TEST_CASE("a loop whose trips nobody knows stays a loop") {
    TypedModel model = running_sum_model(std::vector<Dim>{Dim::symbol("T")}, kScanned, kStacked);
    CHECK_FALSE(declutter(model).firings.contains("unroll_loops"));
  }

  TEST_CASE("the steps of a loop that is laid out share one packed copy of their weights") {
    TypedModel model = recurrent_model();
    CHECK(declutter(model).firings.at("unroll_loops") == 1);
    optimise(model);
    std::size_t products = 0;
    std::int64_t weights = 0;
    for (const TypedNode& node : model.nodes()) {
      products += node.op.name() == "MatMulKernel" ? 1 : 0;
      const Const* constant = node.op.as<Const>();
      if (constant && constant->value->tensor().dtype() == DatumType::f32)
        weights += constant->value->tensor().size();
    }
    CHECK(products == 3);
    CHECK(weights == kWide * kWide);
    // W doubles each element and moves it one place on.
    MutableTensor start = MutableTensor::zeros(DatumType::f32, {1, kWide}),
                  rows = MutableTensor::zeros(DatumType::f32, {3, kWide}),
                  last = MutableTensor::zeros(DatumType::f32, {1, kWide});
    start.as<float>()[0] = 1;
    rows.as<float>()[kWide + 5] = 7;
    last.as<float>()[3] = 8;
    last.as<float>()[6] = 14;
    const ValueList inputs{std::move(start).freeze(), std::move(rows).freeze()};
    check_close(run_model(model, inputs)[0], std::move(last).freeze());
  }
}
