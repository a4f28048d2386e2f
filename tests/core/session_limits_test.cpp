#include <algorithm>

#include "core/session_cases.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/loop.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/unary.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/core/run_observer.h"
#include "strata/core/transform.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("limits of a session") {
  TEST_CASE("a cancelled session stops") {
    Session session(Plan::build(chain(Increment{}, 1, Shape{1})));
    session.cancel_token().cancel();
    const Value one = floats({1});
    CHECK_THROWS_WITH_AS(session.run({&one, 1}), doctest::Contains("cancelled"), Error);
    CHECK(first(session.run({&one, 1})) == 2);  // one run is stopped, not those after it
  }

  TEST_CASE("a run that ends before it hears that it is cancelled leaves later ones alone") {
    struct CancelsAtTheEnd final : RunObserver {
      void begin(const TypedNode&) override {}
      void end(const TypedNode&, std::span<const TensorView>,
               std::span<const MutableTensorView>) override {
        if (session) session->cancel_token().cancel();
      }
      void iteration() override {}
      Session* session = nullptr;
    } observer;
    Session session(Plan::build(chain(Increment{}, 1, Shape{1})), {.observer = &observer});
    observer.session = &session;
    const Value one = floats({1});
    CHECK(first(session.run({&one, 1})) == 2);
    observer.session = nullptr;
    CHECK(first(session.run({&one, 1})) == 2);
  }

  TEST_CASE("a time longer than any clock counts is no bound") {
    Limits limits;
    limits.time = std::chrono::nanoseconds::max();
    Session session(Plan::build(chain(Increment{}, 1, Shape{1}), limits));
    const Value one = floats({1});
    CHECK(first(session.run({&one, 1})) == 2);
  }

  TEST_CASE("axes that grow get no more room than a tensor may have") {
    Limits limits;
    limits.tensor_bytes = 2000;
    TypedModel model = chain(Unary{UnaryOp::neg}, 1, std::vector<Dim>{Dim::symbol("N")});
    optimise(model, {}, limits);
    Session session(Plan::build(std::move(model), limits));
    const auto run = [&](std::int64_t n) {
      return session.run(ValueList{MutableTensor::zeros(DatumType::f32, {n}).freeze()});
    };
    for (const std::int64_t n : {400, 410, 420}) CHECK(run(n)[0].tensor().size() == n);
    for (int again = 0; again < 2; ++again)
      CHECK_THROWS_WITH_AS(run(501), doctest::Contains("tensor_bytes"), Error);
    CHECK(run(410)[0].tensor().size() == 410);
  }

  TEST_CASE("inputs that grow along all their axes get no room for the product") {
    std::vector<Dim> dims;
    for (const char* name : {"A", "B", "C", "D", "E"}) dims.push_back(Dim::symbol(name));
    TypedModel model;
    const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, dims));
    const OutletId a = model.wire_one("a", Unary{UnaryOp::neg}, {x});
    const OutletId b = model.wire_one("b", Unary{UnaryOp::abs}, {x});
    const OutletId sum = model.wire_one("sum", Binary{BinaryOp::add}, {a, b});
    model.add_output("y", model.wire_one("y", Unary{UnaryOp::neg}, {sum}));
    optimise(model);
    Session session(Plan::build(std::move(model)));
    for (const std::int64_t n : {1, 2, 3, 5}) {
      const Value given = MutableTensor::zeros(DatumType::f32, Shape(5, n)).freeze();
      CHECK((session.run({&given, 1})[0].tensor().shape() == Shape(5, n)));
      CHECK(session.arena_bytes() <= std::size_t{16} << 20);
    }
  }

  TEST_CASE("bodies whose inputs grow along all their axes get no room for the product, either") {
    std::vector<Dim> dims;
    for (const char* name : {"A", "B", "C", "D", "E"}) dims.push_back(Dim::symbol(name));
    TypedModel model;
    const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, dims));
    const OutletId trips = model.add_source("trips", Fact::tensor(DatumType::i64, Shape{}));
    TypedModel body(model.symbol_scope());
    const OutletId sum = body.add_source("sum", Fact::tensor(DatumType::f32, Shape{}));
    const OutletId all = body.add_source("all", model.fact(x));
    const OutletId more = body.wire_one("more", Binary{BinaryOp::add}, {all, sum});
    const OutletId axes = body.constant("axes", Tensor::of<std::int64_t>({5}, {0, 1, 2, 3, 4}));
    body.add_output("next", body.wire_one("next", Reduce{Reduction::max, false}, {more, axes}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{LoopInput::Kind::carried}, {LoopInput::Kind::invariant}};
    loop.outputs = {{LoopOutput::Kind::last, 0}};
    loop.has_trip_count = true;
    const OutletId zero = model.constant("zero", Tensor::scalar(0.0F));
    model.add_output("y", model.wire_one("y", loop, {trips, zero, x}));
    Limits limits;
    limits.total_bytes = 64 << 20;
    Session session(Plan::build(std::move(model), limits));
    for (const std::int64_t n : {1, 2, 3, 5}) {
      MutableTensor ones(DatumType::f32, Shape(5, n));
      std::ranges::fill(ones.as<float>(), 1.0F);
      const ValueList given{std::move(ones).freeze(), Tensor::scalar(std::int64_t{3})};
      CHECK(first(session.run(given)) == 3);
    }
  }

  TEST_CASE("what is made of two inputs that grow gets no room for their product") {
    const auto dims_of = [](std::initializer_list<const char*> names) {
      std::vector<Dim> dims;
      for (const char* name : names) dims.push_back(Dim::symbol(name));
      return Fact::tensor(DatumType::f32, std::move(dims));
    };
    /// The largest of x[A,B,1,1,1] + y[C,D,E] + 0, by way of all of them.
    const auto add_largest = [](TypedModel& model, OutletId x, OutletId y, OutletId zero) {
      const OutletId behind = model.constant("behind", Tensor::of<std::int64_t>({3}, {2, 3, 4}));
      const OutletId axes = model.constant("axes", Tensor::of<std::int64_t>({5}, {0, 1, 2, 3, 4}));
      const OutletId column = model.wire_one("column", Unsqueeze{}, {x, behind});
      const OutletId all = model.wire_one("all", Binary{BinaryOp::add}, {column, y});
      const OutletId more = model.wire_one("more", Binary{BinaryOp::add}, {all, zero});
      return model.wire_one("largest", Reduce{Reduction::max, false}, {more, axes});
    };
    for (const bool in_loop : {false, true}) {
      TypedModel model;
      const OutletId x = model.add_source("x", dims_of({"A", "B"}));
      const OutletId y = model.add_source("y", dims_of({"C", "D", "E"}));
      const OutletId zero = model.constant("zero", Tensor::scalar(0.0F));
      if (in_loop) {
        TypedModel body(model.symbol_scope());
        const OutletId sum = body.add_source("sum", model.fact(zero));
        const OutletId a = body.add_source("a", model.fact(x));
        const OutletId b = body.add_source("b", model.fact(y));
        body.add_output("next", add_largest(body, a, b, sum));
        Loop loop;
        loop.body = std::make_shared<TypedModel>(std::move(body));
        loop.inputs = {{LoopInput::Kind::carried}, {}, {}};
        loop.outputs = {{LoopOutput::Kind::last, 0}};
        loop.has_trip_count = true;
        const OutletId trips = model.constant("trips", Tensor::scalar(std::int64_t{3}));
        model.add_output("z", model.wire_one("z", loop, {trips, zero, x, y}));
      } else {
        model.add_output("z", add_largest(model, x, y, zero));
      }
      Limits limits;
      limits.total_bytes = 64 << 20;
      Session session(Plan::build(std::move(model), limits));
      for (const std::int64_t n : {1, 2, 3, 5, 6}) {
        const ValueList given{MutableTensor::zeros(DatumType::f32, Shape(2, n)).freeze(),
                              MutableTensor::zeros(DatumType::f32, Shape(3, n / 2 + 1)).freeze()};
        CHECK(first(session.run(given)) == 0);
      }
    }
  }

  TEST_CASE("a result that grows is counted once") {
    Limits limits;
    limits.total_bytes = 100'000;  // twice what the last run makes, and 4 kB
    Session session(Plan::build(chain(Increment{}, 1, std::vector<Dim>{Dim::symbol("N")}), limits));
    for (const std::int64_t n : {9000, 10'000, 11'000, 12'000}) {
      const Value x = MutableTensor::zeros(DatumType::f32, {n}).freeze();
      CHECK(first(session.run({&x, 1})) == 1);
    }
  }

  TEST_CASE("memory is counted over all runs, what they gave included") {
    Limits limits;
    limits.total_bytes = 50'000;
    Session session(Plan::build(chain(Increment{}, 1, Shape{4096}), limits));
    const Value x = MutableTensor::zeros(DatumType::f32, {4096}).freeze();
    std::vector<ValueList> kept{session.run({&x, 1}), session.run({&x, 1})};
    CHECK_THROWS_WITH_AS(session.run({&x, 1}), doctest::Contains("the limit total_bytes of 50000"),
                         Error);
    kept.clear();
    CHECK(first(session.run({&x, 1})) == 1);
  }

  TEST_CASE("values that lie together may take more than a single tensor") {
    Limits limits;
    limits.tensor_bytes = 2000;
    TypedModel model;
    const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{400}));
    const OutletId a = model.wire_one("a", Unary{UnaryOp::neg}, {x});
    const OutletId b = model.wire_one("b", Unary{UnaryOp::abs}, {x});
    const OutletId sum = model.wire_one("sum", Binary{BinaryOp::add}, {a, b});
    model.add_output("y", model.wire_one("y", Unary{UnaryOp::neg}, {sum}));
    Session session(Plan::build(std::move(model), limits));
    CHECK(session.run(ValueList{MutableTensor::zeros(DatumType::f32, {400}).freeze()}).size() == 1);
    CHECK(session.arena_bytes() > 2000);
  }

  TEST_CASE("where memory is scarce, values get no room to grow") {
    Limits limits;
    limits.total_bytes = 70'000;
    TypedModel model;
    const OutletId x =
        model.add_source("x", Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol("N")}));
    OutletIds parts;  // that live side by side: 8 of 4 N bytes each
    for (int i = 0; i < 8; ++i) parts.push_back(model.wire_one("part", Unary{UnaryOp::neg}, {x}));
    OutletId sum = parts[0];
    for (int i = 1; i < 8; ++i)
      sum = model.wire_one("sum", Binary{BinaryOp::add}, {sum, parts[static_cast<std::size_t>(i)]});
    model.add_output("y", sum);
    Session session(Plan::build(std::move(model), limits));
    for (const std::int64_t n : {1000, 1100, 1200, 1300})
      CHECK(session.run(ValueList{MutableTensor::zeros(DatumType::f32, {n}).freeze()})[0]
                .tensor()
                .size() == n);
  }

  TEST_CASE("memory beyond the limit is refused") {
    Limits limits;
    limits.total_bytes = 1024;
    Session session(Plan::build(chain(Increment{}, 1, Shape{4096}), limits));
    const Value x = MutableTensor::zeros(DatumType::f32, {4096}).freeze();
    CHECK_THROWS_WITH_AS(session.run({&x, 1}), doctest::Contains("the limit total_bytes of 1024"),
                         Error);
  }
}
