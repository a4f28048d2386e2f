#include "specialise.h"

#include <doctest/doctest.h>

#include "runner.h"
#include "specialised_runners.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/if.h"
#include "strata/core/ops/loop.h"
#include "strata/core/ops/random.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unary.h"
#include "strata/core/transform.h"
#include "support/allocations.h"
#include "support/integers.h"
#include "support/models.h"

using namespace strata;
using namespace strata::tests;

namespace {

enum class Kernels { none, chosen };

Body squeezing(const TypedModel& outer, const Fact& fact) {
  TypedModel body(outer.symbol_scope());
  const OutletId x = body.add_source("x", fact);
  body.add_output(
      "y", body.wire_one("y", Squeeze{}, {x, body.constant("last", Tensor(integers({-1})))}));
  return std::make_shared<TypedModel>(std::move(body));
}

Body passing(const TypedModel& outer, const Fact& fact) {
  TypedModel body(outer.symbol_scope());
  body.add_output("y", body.add_source("x", fact));
  return std::make_shared<TypedModel>(std::move(body));
}

/// x[N, M] -> relu(M = 1 ? x[N] : x[N, M]), of which nobody knows the rank before the run.
TypedModel rank_by_shape(Kernels kernels) {
  TypedModel model;
  const Fact fact =
      Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol("N"), Dim::symbol("M")});
  const OutletId x = model.add_source("x", fact);
  const OutletId shape = model.wire_one("shape", ShapeOf{}, {x});
  const OutletId last =
      model.wire_one("last", Gather{0}, {shape, model.constant("at", integers({1}))});
  const OutletId is_one =
      model.wire_one("is_one", Binary{BinaryOp::equal}, {last, model.constant("1", integers({1}))});
  const OutletId y =
      model.wire_one("if", If{squeezing(model, fact), passing(model, fact)}, {is_one, x});
  model.add_output("y", model.wire_one("relu", Unary{UnaryOp::relu}, {y}));
  if (kernels == Kernels::chosen) optimise(model);
  return model;
}

/// x[N] -> twice each of its elements, read at the end of what it was appended to.
TypedModel growing_list() {
  TypedModel model;
  const auto vector = [](const Dim& size) {
    return Fact::tensor(DatumType::f32, std::vector<Dim>{size});
  };
  const OutletId x = model.add_source("x", vector(Dim::symbol("N")));
  TypedModel body(model.symbol_scope());
  const OutletId all = body.add_source("all", vector(body.symbols().fresh())),
                 row = body.add_source("row", vector(1)),
                 longer = body.wire_one("longer", Concat{0}, {all, row});
  const OutletId last =
      body.wire_one("last", Gather{0}, {longer, body.constant("place", integers({-1}))});
  body.add_output("all_on", longer);
  body.add_output("sum", body.wire_one("sum", Binary{BinaryOp::add}, {last, last}));
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::carried}, kScanned};
  loop.outputs = {{LoopOutput::Kind::stacked, 1}};
  model.add_output("y", model.wire_one("loop", loop, {x, x}));
  optimise(model);
  return model;
}

}  // namespace

TEST_SUITE("specialise") {
  TEST_CASE("an If on the shape of an input goes, and all shapes are known") {
    const TypedModel model = rank_by_shape(Kernels::chosen);
    CHECK(count_of<If>(model) == 1);
    CHECK(model.output_fact(0).shape.is_open());
    const Shape wide[] = {{2, 3}}, narrow[] = {{2, 1}};
    const auto for_wide = specialised(model, wide, {}), for_narrow = specialised(model, narrow, {});
    REQUIRE((for_wide && for_narrow));
    CHECK(count_of<If>(*for_wide) == 0);
    CHECK(for_wide->output_fact(0).shape.to_string() == "[2,3]");
    CHECK(for_narrow->output_fact(0).shape.to_string() == "[2]");
  }

  TEST_CASE("what is lowered in a run is lowered as the model was") {
    TypedModel model = rank_by_shape(Kernels::none);
    CHECK(model.target() == nullptr);
    optimise(model, {.isa = Isa::baseline, .winograd = Winograd::never});
    const Shape wide[] = {{2, 3}};
    const auto result = specialised(model, wide, {});
    REQUIRE(result);
    REQUIRE(result->target());
    CHECK(result->target()->isa == Isa::baseline);
    CHECK(result->target()->winograd == Winograd::never);
  }

  TEST_CASE("a model of its own scope: the symbols of the other stay as they are") {
    const TypedModel model = rank_by_shape(Kernels::chosen);
    const Shape wide[] = {{2, 3}};
    const auto result = specialised(model, wide, {});
    REQUIRE(result);
    CHECK(result->symbol_scope() != model.symbol_scope());
  }

  TEST_CASE("shapes that do not fit give nothing") {
    TypedModel model;
    const Dim n = Dim::symbol("N"), m = Dim::symbol("M");
    const OutletId a = model.add_source("a", Fact::tensor(DatumType::f32, std::vector<Dim>{n})),
                   b = model.add_source("b", Fact::tensor(DatumType::f32, std::vector<Dim>{m}));
    model.add_output("y", model.wire_one("y", Binary{BinaryOp::add}, {a, b}));
    const Shape shapes[] = {{2}, {3}}, fitting[] = {{2}, {2}};
    CHECK_FALSE(specialised(model, shapes, {}));
    CHECK(specialised(model, fitting, {}));
  }

  TEST_CASE("shapes of which ops make what the model does not say give nothing") {
    TypedModel model;
    const Dim n = Dim::symbol("N"), m = Dim::symbol("M");
    const OutletId a = model.add_source("a", Fact::tensor(DatumType::f32, std::vector<Dim>{n})),
                   b = model.add_source("b", Fact::tensor(DatumType::f32, std::vector<Dim>{m}));
    const OutletId sum = model.wire_one("sum", Binary{BinaryOp::add}, {a, b});
    model.set_fact(sum, model.fact(a));
    model.add_output("y", sum);
    const Shape shapes[] = {{1}, {3}}, fitting[] = {{3}, {1}};
    CHECK_FALSE(specialised(model, shapes, {}));
    CHECK(specialised(model, fitting, {}));
  }

  TEST_CASE("a branch that the shapes do not fit stays, and fails when it is taken") {
    TypedModel model;
    const Fact fact =
        Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol("N"), Dim::symbol("M")});
    const OutletId c = model.add_source("c", Fact::tensor(DatumType::boolean, Shape{})),
                   x = model.add_source("x", fact);
    model.add_output(
        "y", model.wire_one("if", If{squeezing(model, fact), passing(model, fact)}, {c, x}));
    const Shape shapes[] = {{}, {2, 3}};
    const auto result = specialised(model, shapes, {});
    REQUIRE(result);
    const Tensor data = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    const ValueList no{Tensor::scalar(false), data}, yes{Tensor::scalar(true), data};
    CHECK((run_model(*result, no)[0] == Value(data)));
    CHECK_THROWS_WITH_AS(run_model(*result, yes),
                         doctest::Contains("(C2) axis 1 of [2,3] is not 1"), Error);
  }

  TEST_CASE("in a body, sizes of untold symbols get symbols of their own") {
    TypedModel outer;
    TypedModel body(outer.symbol_scope());
    const Dim n = Dim::symbol("N"), m = Dim::symbol("M");
    const auto of = [](std::vector<Dim> dims) {
      return Fact::tensor(DatumType::f32, std::move(dims));
    };
    const OutletId a = body.add_source("a", of({n, floor_div(m, 2)})),
                   b = body.add_source("b", of({floor_div(m, 2), 2 * n})),
                   c = body.add_source("c", of({min(m, 1)})), d = body.add_source("d", of({n}));
    body.add_output("joined", body.wire_one("joined", Concat{1}, {a, a}));
    body.add_output("b", b);
    body.add_output("c", c);
    body.add_output("longer", body.wire_one("longer", Concat{0}, {d, c}));
    const Body before = std::make_shared<TypedModel>(std::move(body));
    const Body after = with_sizes_told(before);
    REQUIRE(after != before);
    const Dim half = after->input_fact(0).shape[1];
    CHECK(half.as_symbol());
    CHECK(after->input_fact(1).shape == ShapeFact(std::vector<Dim>{half, 2 * n}));
    CHECK(after->input_fact(2).shape[0].as_symbol());
    CHECK(after->input_fact(2).shape[0] != half);
    CHECK(after->output_fact(0).shape == ShapeFact(std::vector<Dim>{n, 2 * half}));
    CHECK(after->output_fact(3).shape ==
          ShapeFact(std::vector<Dim>{n + after->input_fact(2).shape[0]}));
    CHECK(after->symbol_scope() != before->symbol_scope());
    CHECK(with_sizes_told(after) == after);
  }

  TEST_CASE("only models that have kernels, and keep no state, are worth it") {
    CHECK(may_specialise(rank_by_shape(Kernels::chosen)));
    CHECK_FALSE(may_specialise(rank_by_shape(Kernels::none)));
    TypedModel model = rank_by_shape(Kernels::chosen);
    const OutletId noise =
        model.wire_one("noise", Random{}, {model.constant("shape", integers({2}))});
    model.add_output("noise", noise);
    CHECK_FALSE(may_specialise(model));
  }
}

TEST_SUITE("specialised runners") {
  TEST_CASE("one is made for shapes that came twice in a row, and for few shapes") {
    const auto plan = Plan::build(rank_by_shape(Kernels::chosen));
    SpecialisedRunners runners(*plan);
    const Shape a[] = {{2, 3}}, b[] = {{2, 1}};
    CHECK(runners.find(a, false) == nullptr);
    CHECK(runners.find(a, false) == nullptr);
    CHECK(runners.find(b, false) == nullptr);
    CHECK(runners.find(a, false) == nullptr);
    CHECK(runners.find(a, false) == nullptr);
    Runner* const runner = runners.find(a, false);
    CHECK(runner != nullptr);
    CHECK(runners.find(b, false) == nullptr);
    CHECK(runners.find(a, false) == runner);
    for (const std::int64_t size : {4, 5, 6, 7}) {
      const Shape other[] = {{size, 3}};
      for (int i = 0; i < 2; ++i) CHECK(runners.find(other, false) == nullptr);
      CHECK((runners.find(other, false) != nullptr) == (size < 7));
    }
  }

  TEST_CASE("none is made for a plan whose runs have little time") {
    Limits limits;
    limits.time = std::chrono::milliseconds(10);
    const auto plan = Plan::build(rank_by_shape(Kernels::chosen), limits);
    SpecialisedRunners runners(*plan);
    const Shape a[] = {{2, 3}};
    for (int i = 0; i < 4; ++i) CHECK(runners.find(a, false) == nullptr);
  }

  TEST_CASE("where the plan has a frame, only one with its bodies in it is better") {
    const auto plan = Plan::build(growing_list());
    SpecialisedRunners runners(*plan);
    const Shape few[] = {{3}}, many[] = {{200}};
    for (const bool is_last : {false, false, true}) {
      const Runner* runner = runners.find(few, true);
      CHECK((runner != nullptr) == is_last);
    }
    for (int i = 0; i < 3; ++i) CHECK(runners.find(many, true) == nullptr);
  }

  TEST_CASE("a loop whose value grows is written out for shapes that recur") {
    Session session(Plan::build(growing_list()));
    const Value few = floats({1, 2, 4}), one = floats({8});
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 4; ++i) CHECK((session.run({&few, 1})[0] == Value(floats({2, 4, 8}))));
      for (int i = 0; i < 4; ++i) CHECK((session.run({&one, 1})[0] == Value(floats({16}))));
    }
    const std::size_t before = allocations();
    (void)session.run({&few, 1});
    CHECK(allocations() - before <= 3);
  }

  TEST_CASE("a session gives the same results before and after, for shapes that come and go") {
    Session session(Plan::build(rank_by_shape(Kernels::chosen)));
    const Value wide = Tensor::of<float>({2, 2}, {-1, 2, 3, -4}),
                narrow = Tensor::of<float>({2, 1}, {5, -6});
    const Value wide_result = Tensor::of<float>({2, 2}, {0, 2, 3, 0}),
                narrow_result = Tensor::of<float>({2}, {5, 0});
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 4; ++i) CHECK((session.run({&wide, 1})[0] == wide_result));
      for (int i = 0; i < 4; ++i) CHECK((session.run({&narrow, 1})[0] == narrow_result));
    }
  }

  TEST_CASE("a session that knows the shapes allocates next to nothing") {
    Session session(Plan::build(rank_by_shape(Kernels::chosen)));
    const Value x = Tensor::of<float>({2, 2}, {-1, 2, 3, -4});
    for (int i = 0; i < 4; ++i) (void)session.run({&x, 1});
    const std::size_t before = allocations();
    (void)session.run({&x, 1});
    CHECK(allocations() - before <= 3);  // the list of results, and the run's own context
  }

  TEST_CASE("random numbers differ from run to run when a model is specialised, too") {
    TypedModel model = rank_by_shape(Kernels::chosen);
    const OutletId noise =
        model.wire_one("noise", Random{.seed = 1}, {model.constant("shape", integers({8}))});
    model.add_output("noise", noise);
    Session session(Plan::build(std::move(model)));
    const Value x = Tensor::of<float>({1, 2}, {1, 2});
    std::vector<Value> seen;
    for (int i = 0; i < 5; ++i) {
      const Value drawn = session.run({&x, 1})[1];
      CHECK(std::none_of(seen.begin(), seen.end(), [&](const Value& one) { return one == drawn; }));
      seen.push_back(drawn);
    }
  }
}
