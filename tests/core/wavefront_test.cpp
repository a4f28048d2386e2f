#include "wavefront.h"

#include <doctest/doctest.h>

#include <random>

#include "frame.h"
#include "runner.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/unary.h"
#include "strata/core/workers.h"
#include "support/loop_model.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr std::int64_t kTrips = 40, kWidth = 192;

Tensor noise(const Shape& shape, float scale) {
  static std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(-scale, scale);
  MutableTensor out(DatumType::f32, shape);
  for (float& x : out.as<float>()) x = uniform(random);
  return std::move(out).freeze();
}

/// The body as many times as the first operand says, on the only value that is carried.
Loop repeated(TypedModel body) {
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::carried}};
  loop.outputs = {{LoopOutput::Kind::last, 0}};
  loop.has_trip_count = true;
  return loop;
}

Loop repeated_tanh(const std::shared_ptr<SymbolScope>& symbols, const Fact& row) {
  TypedModel body(symbols);
  const OutletId x = body.add_source("x", row);
  body.add_output("x_on", body.wire_one("next", Unary{UnaryOp::tanh}, {x}));
  return repeated(std::move(body));
}

/// One row more each time.
Loop repeated_append(const std::shared_ptr<SymbolScope>& symbols, std::int64_t width) {
  TypedModel body(symbols);
  const OutletId x = body.add_source("x", float_fact(std::vector<Dim>{symbols->fresh(), width}));
  const OutletId row = body.constant("row", noise({1, width}, 1));
  body.add_output("x_on", body.wire_one("next", Concat{0}, {x, row}));
  return repeated(std::move(body));
}

/// What the inner loop of a layer does.
enum class Inner { tanh, append };

/// h' = tanh(x + h W), of some columns, and for each inner trip tanh once more, or a row more, of
/// which the first counts; h' is stacked.
Loop recurrent(const std::shared_ptr<SymbolScope>& symbols, std::int64_t width,
               std::int64_t inner_trips, Inner inner) {
  TypedModel body(symbols);
  const Fact row = float_fact(Shape{1, width});
  const OutletId h = body.add_source("h", row), x = body.add_source("x", row);
  const OutletId product =
      body.wire_one("product", MatMul{}, {h, body.constant("w", noise({width, width}, 0.1F))});
  const OutletId sum = body.wire_one("sum", Binary{BinaryOp::add}, {x, product});
  OutletId next = body.wire_one("next", Unary{UnaryOp::tanh}, {sum});
  const bool appends = inner == Inner::append;
  if (inner_trips > 0)
    next = body.wire_one("inner",
                         appends ? repeated_append(symbols, width) : repeated_tanh(symbols, row),
                         {body.constant("trips", Tensor::scalar(inner_trips)), next});
  if (appends)
    next = body.wire_one("first", Gather{0},
                         {next, body.constant("zero", Tensor::of<std::int64_t>({1}, {0}))});
  body.add_output("h_on", next);
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::carried}, kScanned};
  loop.outputs = {{LoopOutput::Kind::stacked, 0, 0, false}, {LoopOutput::Kind::last, 0}};
  return loop;
}

struct Layers {
  std::size_t count;
  bool reversed = false;             ///< but the first
  std::int64_t last_width = kWidth;  ///< columns of the last
  std::int64_t inner_trips = 0;      ///< of a loop within each; none where there are none
  Inner inner = Inner::tanh;
};

/// Layers of it, with a product of all rows and a constant between two.
TypedModel layers(const Layers& given) {
  TypedModel model;
  const auto width_of = [&](std::size_t layer) {
    return layer > 0 && layer + 1 == given.count ? given.last_width : kWidth;
  };
  OutletId rows = model.add_source("x", float_fact(Shape{kTrips, kWidth}));
  for (std::size_t layer = 0; layer < given.count; ++layer) {
    const std::int64_t width = width_of(layer), next = width_of(layer + 1);
    const OutletId initial = model.add_source(cat("h", layer), float_fact(Shape{1, width}));
    // Work that a loop does not wait for, and work that waits for its end.
    const OutletId half = model.wire_one(cat("half", layer), Unary{UnaryOp::tanh}, {initial});
    Loop loop = recurrent(model.symbol_scope(), width, given.inner_trips, given.inner);
    loop.inputs[1].reversed = given.reversed && layer > 0;
    const OutletIds out = model.wire(cat("layer", layer), loop, {half, rows});
    model.add_output(cat("last", layer),
                     model.wire_one(cat("exp", layer), Unary{UnaryOp::exp}, {out[1]}));
    rows = model.wire_one(cat("project", layer), MatMul{},
                          {out[0], model.constant(cat("v", layer), noise({width, next}, 0.1F))});
    rows = model.wire_one(cat("abs", layer), Unary{UnaryOp::abs}, {rows});
  }
  model.add_output("y", rows);
  return model;
}

ValueList inputs_for(const TypedModel& model) {
  ValueList inputs;
  for (const OutletId input : model.inputs())
    inputs.push_back(noise(*model.fact(input).shape.concrete(), 1));
  return inputs;
}

/// Runs on some threads give what a run on one does.
void check_threads(TypedModel model) {
  optimise(model);
  const ValueList inputs = inputs_for(model);
  const auto plan = Plan::build(std::move(model));
  const ValueList expected = Session(plan).run(inputs);
  for (const std::size_t threads : {2, 3}) {
    Session session(plan, {threads});
    for (int run = 0; run < 20; ++run) CHECK((session.run(inputs) == expected));
  }
}

/// How many loops the wavefronts of a plan's frame hold.
std::size_t loops_side_by_side(TypedModel model) {
  const auto plan = Plan::build(std::move(model));
  Workers workers(2);
  RunContext context(plan->limits(), {}, &workers);
  Runner runner(plan);
  (void)runner.run(context, inputs_for(plan->model()));
  return runner.frame().loops_side_by_side();
}

}  // namespace

TEST_SUITE("wavefront") {
  TEST_CASE("stacked layers give the same on one thread and on several") {
    for (const std::size_t count : {1, 2, 3, 5}) check_threads(layers({count}));
  }

  TEST_CASE("some rows of a product of few columns go in the memory of all") {
    check_threads(layers({.count = 2, .last_width = 4}));
  }

  TEST_CASE("loops run side by side where rows are handed on in order") {
    const auto side_by_side = [](TypedModel model) {
      optimise(model);
      return loops_side_by_side(std::move(model));
    };
    CHECK(side_by_side(layers({1})) == 0);
    CHECK(side_by_side(layers({2})) == 2);
    CHECK(side_by_side(layers({4})) == 4);
    CHECK(side_by_side(layers({.count = 2, .reversed = true})) == 0);
  }

  TEST_CASE("without kernels loops stay apart") { CHECK(loops_side_by_side(layers({2})) == 0); }

  TEST_CASE("a loop that fails ends the others, and is named") {
    TypedModel model = layers({2});
    optimise(model);
    const ValueList inputs = inputs_for(model);
    Limits limits;
    limits.iterations = kTrips + 7;
    Session session(Plan::build(std::move(model), limits), {2});
    CHECK_THROWS_WITH_AS(session.run(inputs), doctest::Contains("the limit iterations"), Error);
  }

  TEST_CASE("what loops within allocate counts on several threads as on one") {
    TypedModel model = layers({.count = 2, .inner_trips = 1023, .inner = Inner::append});
    optimise(model);
    CHECK(loops_side_by_side(model) == 2);
    const ValueList inputs = inputs_for(model);
    for (const std::size_t threads : {1, 2}) {
      Limits limits;
      limits.total_bytes = 16 << 20;
      Session enough(Plan::build(model, limits), {threads});
      CHECK_NOTHROW(enough.run(inputs));
      limits.total_bytes = 4'000'000;  // less than the rows of both layers take, while they grow
      Session too_few(Plan::build(model, limits), {threads});
      CHECK_THROWS_WITH_AS(too_few.run(inputs), doctest::Contains("the limit total_bytes"), Error);
    }
  }

  TEST_CASE("iterations of loops within are counted on several threads as on one") {
    constexpr std::int64_t kInner = 3, kAll = 2 * kTrips * (1 + kInner);
    TypedModel model = layers({.count = 2, .inner_trips = kInner});
    optimise(model);
    CHECK(loops_side_by_side(model) == 2);
    const ValueList inputs = inputs_for(model);
    for (const std::size_t threads : {1, 2}) {
      Limits limits;
      limits.iterations = kAll;
      Session enough(Plan::build(model, limits), {threads});
      CHECK_NOTHROW(enough.run(inputs));
      limits.iterations = kAll - 1;
      Session too_few(Plan::build(model, limits), {threads});
      CHECK_THROWS_WITH_AS(too_few.run(inputs), doctest::Contains("the limit iterations"), Error);
    }
  }
}
