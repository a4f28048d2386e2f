#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <iterator>

#include "core/session_cases.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/if.h"
#include "strata/core/ops/loop.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/non_zero.h"
#include "strata/core/ops/random.h"
#include "strata/core/ops/unary.h"
#include "strata/core/transform.h"
#include "support/allocations.h"
#include "support/integers.h"

using namespace strata;
using namespace strata::tests;

namespace {

const Fact kRow = Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol("N")});

Tensor zeros(const Shape& shape) { return MutableTensor::zeros(DatumType::f32, shape).freeze(); }

/// x[N,64] -> tanh(x w) w, with weights that kernels want in another order.
TypedModel two_layers() {
  TypedModel model;
  const OutletId w = model.constant("w", zeros({64, 64}));
  const OutletId x = model.add_source(
      "x", Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol("N"), Dim(64)}));
  const OutletId first = model.wire_one("first", MatMul{}, {x, w});
  const OutletId bent = model.wire_one("bent", Unary{UnaryOp::tanh}, {first});
  model.add_output("y", model.wire_one("second", MatMul{}, {bent, w}));
  optimise(model);
  return model;
}

/// The same as the body of a loop of `trips` iterations.
TypedModel layers_in_a_loop(std::int64_t trips) {
  TypedModel body;
  const OutletId w = body.constant("w", zeros({64, 64}));
  const OutletId x = body.add_source("x", Fact::tensor(DatumType::f32, Shape{4, 64}));
  body.add_output("on", body.wire_one("product", MatMul{}, {x, w}));
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::carried}};
  loop.outputs = {{LoopOutput::Kind::last, 0}};
  loop.has_trip_count = true;
  TypedModel model(loop.body->symbol_scope());
  const OutletId count = model.constant("trips", Tensor::scalar(trips)),
                 start = model.add_source("x", Fact::tensor(DatumType::f32, Shape{4, 64}));
  model.add_output("y", model.wire_one("loop", loop, {count, start}));
  optimise(model);
  return model;
}

/// go, x[N] -> x + 2 if `go`, else x twice: of which only the data tell the size.
TypedModel branches() {
  TypedModel model;
  const OutletId go = model.add_source("go", Fact::tensor(DatumType::boolean, Shape{})),
                 x = model.add_source("x", kRow);
  TypedModel then_body(model.symbol_scope()), else_body(model.symbol_scope());
  const OutletId a = then_body.add_source("x", kRow), b = else_body.add_source("x", kRow);
  const OutletId one = then_body.wire_one("one", IncrementKernel{}, {a});
  then_body.add_output("two", then_body.wire_one("two", IncrementKernel{}, {one}));
  const OutletId twice = else_body.wire_one("twice", Concat{0}, {b, b});
  else_body.add_output("twice", twice);
  const If branch{std::make_shared<TypedModel>(std::move(then_body)),
                  std::make_shared<TypedModel>(std::move(else_body))};
  model.add_output("y", model.wire_one("branch", branch, {go, x}));
  return model;
}

std::size_t allocations_of_run(Session& session, Values inputs, OutputMemory memory = {}) {
  const std::size_t before = allocations();
  (void)session.run(inputs, memory);
  return allocations() - before;
}

}  // namespace

TEST_SUITE("memory of a session") {
  TEST_CASE("what is prepared for is planned, and takes no memory in the first run") {
    const Value x = zeros({4, 64});
    std::array<float, 256> y{};
    const std::span<std::byte> memory = std::as_writable_bytes(std::span(y));
    for (const bool is_loop : {false, true}) {
      const auto plan_of = [&] {
        return Plan::build(is_loop ? layers_in_a_loop(3) : two_layers());
      };
      Session prepared(plan_of()), warm(plan_of()), cold(plan_of());
      const Shape shape = x.tensor().shape();
      prepared.prepare({&shape, 1});
      (void)warm.run({&x, 1});
      const std::size_t least = allocations_of_run(warm, {&x, 1}, {&memory, 1});
      const std::size_t lists = is_loop ? 2 : 0;  // that a loop makes of what it is given
      CHECK(allocations_of_run(prepared, {&x, 1}, {&memory, 1}) == least + lists);
      CHECK(allocations_of_run(cold, {&x, 1}, {&memory, 1}) > 2 * least);
    }
  }

  TEST_CASE("a session is prepared for other shapes than those before, and runs with any") {
    Session session(Plan::build(chain(IncrementKernel{}, 3, std::vector<Dim>{Dim::symbol("N")})));
    for (const std::int64_t size : {2, 5, 0, 3}) {
      const Shape shape{size};
      session.prepare({&shape, 1});
      for (const std::int64_t given : {size, std::int64_t{4}}) {
        const Value x = zeros({given}), y = session.run({&x, 1})[0];
        CHECK(y.tensor().shape() == Shape{given});
        for (const float each : y.tensor().as<float>()) CHECK(each == 3);
      }
    }
  }

  TEST_CASE("what the shapes do not tell is left to the run") {
    TypedModel model;
    const OutletId x = model.add_source("x", kRow),
                   all = model.add_source("all", Fact::sequence(kRow));
    model.add_output("y", model.wire_one("y", NonZero{}, {x}));
    model.add_output("all", all);
    Session session(Plan::build(std::move(model)));
    const Shape shapes[] = {{4}, {}};
    session.prepare(shapes);
    const Value inputs[] = {floats({0, 5, 0, 6}), Sequence{ValueType::tensor(DatumType::f32), {}}};
    CHECK((session.run(inputs)[0] == Value(Tensor::of<std::int64_t>({1, 2}, {1, 3}))));
  }

  TEST_CASE("shapes that do not fit are refused, and leave the session as it was") {
    TypedModel model;
    model.add_output("a", model.add_source("a", kRow));
    model.add_output("b", model.add_source("b", kRow));
    Session session(Plan::build(std::move(model)));
    const auto refused = [&](std::initializer_list<Shape> shapes, const char* why) {
      try {
        session.prepare(std::vector<Shape>(shapes));
        FAIL("prepared");
      } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::invalid_argument);
        CHECK(error.message() == why);
      }
    };
    refused({{2}}, "the model takes 2 inputs, 1 given");
    refused({{2}, {2, 2}}, "input \"b\" is f32[N], the shape [2,2] given");
    refused({{2}, {-2}}, "input \"b\" is f32[N], the shape [-2] given");
    refused({{2}, {3}}, "input \"b\" has N=3 on axis 0, an input before it N=2");
    const Value inputs[] = {floats({1, 2}), floats({3, 4})};
    CHECK((session.run(inputs)[1] == inputs[1]));
  }

#if defined(__linux__)
  TEST_CASE("threads start when a session is prepared") {
    const auto threads = [] {
      return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
    };
    const auto before = threads();
    Session session(Plan::build(chain(IncrementKernel{}, 1, Shape{2})), {.threads = 3});
    const Shape shape{2};
    session.prepare({&shape, 1});
    CHECK(threads() == before + 2);
  }
#endif

  TEST_CASE("memory that is given back is taken again, and nothing is planned anew") {
    const Value x = zeros({4, 64});
    for (const bool is_loop : {false, true}) {
      Session session(Plan::build(is_loop ? layers_in_a_loop(3) : two_layers()));
      (void)session.run({&x, 1});
      const std::size_t least = allocations_of_run(session, {&x, 1});
      for (int again = 0; again < 2; ++again) {
        session.release_memory();
        const std::size_t more = allocations_of_run(session, {&x, 1}) - least;
        CHECK(more >= 2);  // the block that it works in, and the output
        CHECK(more <= 8);
        CHECK(allocations_of_run(session, {&x, 1}) == least);
      }
      CHECK((session.run({&x, 1})[0] == x));
    }
  }

  TEST_CASE("a session may give memory back before its first run, and outputs outlive it") {
    Session session(Plan::build(chain(IncrementKernel{}, 2, Shape{1})));
    session.release_memory();
    const Value x = floats({1});
    const ValueList kept = session.run({&x, 1});
    session.release_memory();
    CHECK(first(kept) == 3);
    CHECK(first(session.run({&x, 1})) == 3);
    CHECK(first(kept) == 3);
  }

  TEST_CASE("bodies give back their memory too") {
    Limits limits;
    limits.total_bytes = 20'000;
    Session session(Plan::build(branches(), limits));
    const auto size = [&](bool go) {
      const Value inputs[] = {Tensor::scalar(go), zeros({1000})};
      return session.run(inputs)[0].tensor().size();
    };
    CHECK(size(true) == 1000);  // which takes 4000 bytes for its output and as many to work in
    CHECK_THROWS_WITH_AS(size(false), doctest::Contains("total_bytes"), Error);
    for (const bool go : {false, true, false}) {
      session.release_memory();
      CHECK(size(go) == (go ? 1000 : 2000));
    }
  }

  TEST_CASE("what ops keep from run to run stays when memory is given back") {
    TypedModel model;
    const OutletId shape = model.constant("shape", integers({3}));
    model.add_output("y", model.wire_one("noise", Random{.seed = 1}, {shape}));
    const auto plan = Plan::build(std::move(model));
    Session session(plan), other(plan);
    (void)session.run({});
    (void)other.run({});
    session.release_memory();
    CHECK((session.run({})[0] == other.run({})[0]));
  }
}
