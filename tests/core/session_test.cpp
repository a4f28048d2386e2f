#include "strata/core/session.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/session_cases.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/sequence_construct.h"
#include "strata/core/ops/unary.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/core/transform.h"
#include "support/allocations.h"
#include "support/counting_ops.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// a[N], b[M] -> -(a + b), of which the sizes of the inputs tell the size, but no formula.
TypedModel negated_sum() {
  TypedModel model;
  const auto input = [&](std::string_view name, std::string_view size) {
    return model.add_source(name,
                            Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol(size)}));
  };
  const OutletId a = input("a", "N"), b = input("b", "M");
  const OutletId sum = model.wire_one("sum", Binary{BinaryOp::add}, {a, b});
  model.add_output("y", model.wire_one("negated", Unary{UnaryOp::neg}, {sum}));
  return model;
}

/// a[M,K] times b[J,2], which multiply where K is J.
TypedModel product() {
  TypedModel model;
  const auto input = [&](std::string_view name, std::vector<Dim> sizes) {
    return model.add_source(name, Fact::tensor(DatumType::f32, std::move(sizes)));
  };
  const OutletId a = input("a", {Dim::symbol("M"), Dim::symbol("K")}),
                 b = input("b", {Dim::symbol("J"), Dim(2)});
  model.add_output("y", model.wire_one("product", MatMul{}, {a, b}));
  return model;
}

}  // namespace

TEST_SUITE("session") {
  TEST_CASE("a chain runs in order, with kernels and without") {
    const Value x = floats({1, 2});
    for (const TypedOp& op : {TypedOp(Increment{}), TypedOp(IncrementKernel{})})
      CHECK(first(run_model(chain(op, 5, Shape{2}), {&x, 1})) == 6);
  }

  TEST_CASE("symbolic sizes are bound anew for each shape") {
    Session session(Plan::build(chain(IncrementKernel{}, 3, std::vector<Dim>{Dim::symbol("N")})));
    const Value two = floats({1, 2}), three = floats({5, 6, 7});
    CHECK((session.run({&two, 1})[0] == Value(floats({4, 5}))));
    CHECK((session.run({&three, 1})[0] == Value(floats({8, 9, 10}))));
    CHECK((session.run({&two, 1})[0] == Value(floats({4, 5}))));
  }

  TEST_CASE("sizes that broadcast are found when they are known, anew for each pair") {
    TypedModel lowered = negated_sum();
    optimise(lowered);
    for (const TypedModel& model : {negated_sum(), lowered}) {
      Session session(Plan::build(model));
      const auto run = [&](const Tensor& a, const Tensor& b) {
        const ValueList inputs{a, b};
        return session.run(inputs)[0].tensor();
      };
      CHECK(run(floats({1, 2}), floats({3, 4})) == floats({-4, -6}));
      CHECK(run(floats({1}), floats({3, 4, 5})) == floats({-4, -5, -6}));
      CHECK(run(floats({1, 2}), floats({7})) == floats({-8, -9}));
      CHECK_THROWS_WITH_AS(run(floats({1, 2}), floats({3, 4, 5})), doctest::Contains("[2] and [3]"),
                           Error);
      CHECK(run(floats({8}), floats({9})) == floats({-17}));
    }
  }

  TEST_CASE("values of such sizes lie in planned memory from the first run on") {
    Session session(Plan::build(negated_sum()));
    const ValueList inputs{floats({1, 2}), floats({3})};
    (void)session.run(inputs);
    CHECK(session.arena_bytes() > 0);
  }

  TEST_CASE("a warm run of kernels allocates no more for a longer chain") {
    const auto allocations_of = [](std::size_t length) {
      Session session(Plan::build(chain(IncrementKernel{}, length, Shape{64})));
      const Value x = MutableTensor::zeros(DatumType::f32, {64}).freeze();
      (void)session.run({&x, 1});
      (void)session.run({&x, 1});
      const std::size_t before = allocations();
      (void)session.run({&x, 1});
      return allocations() - before;
    };
    CHECK(allocations_of(1) == allocations_of(50));
    CHECK(allocations_of(50) <= 3);  // the list of results, and the run's own context
  }

  TEST_CASE("an output the caller keeps is not written again") {
    Session session(Plan::build(chain(IncrementKernel{}, 1, Shape{1})));
    const Value one = floats({1}), ten = floats({10});
    const ValueList kept = session.run({&one, 1});
    const ValueList next = session.run({&ten, 1});
    CHECK(first(kept) == 2);
    CHECK(first(next) == 11);
  }

  TEST_CASE("kernels in a chain write over the value they are the last to read") {
    Session session(Plan::build(chain(IncrementKernel{}, 10, Shape{1024})));
    const Value x = MutableTensor::zeros(DatumType::f32, {1024}).freeze();
    CHECK(first(session.run({&x, 1})) == 10);
    CHECK(session.arena_bytes() == 4096);
  }

  TEST_CASE("a view of the arena outlives the arena's next use") {
    TypedModel model;
    const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{1}));
    const OutletId a = model.wire_one("a", IncrementKernel{}, {x});
    const OutletId view = model.wire_one("view", Alias{}, {a});
    const OutletId b = model.wire_one("b", IncrementKernel{}, {a});
    const OutletId c = model.wire_one("c", IncrementKernel{}, {b});
    model.add_output("view", view);
    model.add_output("c", c);
    const Value one = floats({1});
    const ValueList out = run_model(model, {&one, 1});
    CHECK(out[0].tensor().as<float>()[0] == 2);
    CHECK(out[1].tensor().as<float>()[0] == 4);
  }

  TEST_CASE("wrong inputs are named") {
    Session session(Plan::build(chain(Increment{}, 1, Shape{2})));
    const Value three = floats({1, 2, 3}), integer = Tensor::of<std::int64_t>({2}, {1, 2});
    CHECK_THROWS_WITH_AS(session.run({&three, 1}),
                         doctest::Contains("input \"x\" is f32[2], f32[3] given"), Error);
    CHECK_THROWS_WITH_AS(session.run({&integer, 1}), doctest::Contains("i64[2] given"), Error);
    CHECK_THROWS_WITH_AS(session.run({}), doctest::Contains("takes 1 input, 0 given"), Error);
  }

  TEST_CASE("one symbol has one size") {
    TypedModel model;
    const Fact fact = Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol("N")});
    model.add_output("a", model.add_source("a", fact));
    model.add_output("b", model.add_source("b", fact));
    const ValueList inputs{floats({1}), floats({1, 2})};
    CHECK_THROWS_WITH_AS(run_model(model, inputs), doctest::Contains("N=2 on axis 0"), Error);
    // and where it runs value by value
    model.add_output("c", model.wire_one("c", SequenceConstruct{}, {model.outputs()[0].outlet}));
    CHECK_THROWS_WITH_AS(run_model(model, inputs), doctest::Contains("N=2 on axis 0"), Error);
  }

  TEST_CASE("sizes that are more than a symbol agree with it, and with each other") {
    const Dim n = Dim::symbol("N"), m = Dim::symbol("M");
    TypedModel model;
    const auto vector = [&](const char* name, const Dim& size) {
      model.add_output(
          name, model.add_source(name, Fact::tensor(DatumType::f32, std::vector<Dim>{size})));
    };
    vector("a", n + 1);
    vector("b", n);
    vector("c", 2 * m);
    vector("d", 2 * m);
    const auto run = [&](std::vector<std::int64_t> sizes) {
      ValueList inputs;
      for (const std::int64_t size : sizes)
        inputs.push_back(MutableTensor::zeros(DatumType::f32, {size}).freeze());
      return run_model(model, inputs).size();
    };
    CHECK(run({3, 2, 5, 5}) == 4);
    CHECK_THROWS_WITH_AS(run({2, 2, 4, 4}),
                         doctest::Contains("\"a\" has the size 2 on axis 0, N+1=3"), Error);
    CHECK_THROWS_WITH_AS(run({3, 2, 4, 6}),
                         doctest::Contains("\"d\" has the size 6 on axis 0, 2*M=4"), Error);
    // and where it runs value by value
    model.add_output("e", model.wire_one("e", SequenceConstruct{}, {model.outputs()[0].outlet}));
    CHECK_THROWS_WITH_AS(run({2, 2, 4, 4}), doctest::Contains("N+1=3 is wanted"), Error);
  }

  TEST_CASE("a refused call is refused again, and leaves the session as it was") {
    TypedModel model;
    const Fact fact = Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol("N"), Dim(64)});
    const OutletId a = model.add_source("a", fact), b = model.add_source("b", fact);
    const OutletId product = model.wire_one("product", MatMul{.transpose_b = true}, {a, b});
    model.add_output("y", model.wire_one("negated", Unary{UnaryOp::neg}, {product}));
    Session session(Plan::build(std::move(model)));
    const auto run = [&](std::int64_t rows, std::int64_t others) {
      const ValueList inputs{MutableTensor::zeros(DatumType::f32, {rows, 64}).freeze(),
                             MutableTensor::zeros(DatumType::f32, {others, 64}).freeze()};
      return session.run(inputs)[0].tensor().shape();
    };
    const auto refused = [&](std::int64_t rows, std::int64_t others) {
      for (int again = 0; again < 2; ++again)
        CHECK_THROWS_WITH_AS(run(rows, others), doctest::Contains("an input before it N="), Error);
    };
    refused(8, 1);
    CHECK(run(8, 8) == Shape{8, 8});
    const std::size_t bytes = session.arena_bytes();
    CHECK(bytes > 0);
    refused(8, 4);
    CHECK(run(8, 8) == Shape{8, 8});
    CHECK(session.arena_bytes() == bytes);
    refused(8, 1);
    CHECK(run(16, 16) == Shape{16, 16});
  }

  TEST_CASE("a failed run keeps none of its values") {
    TypedModel model;
    const auto fact = [](DatumType type, std::string_view size) {
      return Fact::tensor(type, std::vector<Dim>{Dim::symbol(size)});
    };
    const OutletId x = model.add_source("x", fact(DatumType::f32, "N")),
                   target = model.add_source("target", fact(DatumType::i64, "R"));
    model.add_output("y", model.wire_one("y", Reshape{}, {x, target}));
    Session session(Plan::build(std::move(model)));
    const Tensor data = floats({1, 2, 3});
    try {
      session.run(ValueList{data, Tensor::of<std::int64_t>({1}, {2})});
      FAIL("three numbers became two");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::run_time);
    }
    CHECK(data.sole_owner());
  }

  TEST_CASE("sizes that a kernel relies on are looked at, also when they change") {
    TypedModel model = product();
    optimise(model);
    Session session(Plan::build(std::move(model)));
    const auto run = [&](const Shape& a, const Shape& b) {
      const ValueList inputs{MutableTensor::zeros(DatumType::f32, a).freeze(),
                             MutableTensor::zeros(DatumType::f32, b).freeze()};
      return session.run(inputs)[0].tensor().shape();
    };
    const auto refused = doctest::Contains("inner sizes 3 and 2 differ");
    CHECK_THROWS_WITH_AS(run({1, 3}, {2, 2}), refused, Error);
    CHECK(run({4, 3}, {3, 2}) == Shape{4, 2});
    CHECK_THROWS_WITH_AS(run({4, 3}, {2, 2}), refused, Error);
    CHECK(run({1, 2}, {2, 2}) == Shape{1, 2});
  }

  TEST_CASE("a size that the model says, and its ops do not, is looked at") {
    for (const std::int64_t rows : {1, 5}) {
      TypedModel model;
      const Fact matrix = Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol("M"), Dim(2)});
      const OutletId x = model.add_source("x", matrix);
      const OutletId weights = model.constant("weights", floats({1, 2, 3, 4}).reshaped({2, 2}));
      const OutletId product = model.wire_one("product", MatMul{}, {x, weights});
      const OutletId sum = model.wire_one("sum", Binary{BinaryOp::add},
                                          {product, model.constant("bias", floats({5, 6}))});
      model.set_fact(sum, Fact::tensor(DatumType::f32, Shape{3, 2}));
      model.add_output("y", sum);
      optimise(model);
      const Value given = MutableTensor::zeros(DatumType::f32, {rows, 2}).freeze();
      const std::string says = cat("f32[", rows, ",2], the model says f32[3,2]");
      CHECK_THROWS_WITH_AS(run_model(model, {&given, 1}), doctest::Contains(says.c_str()), Error);
    }
  }

  TEST_CASE("what broadcasts to more than the model says is refused, with kernels and without") {
    TypedModel model;
    const auto input = [&](std::string_view name, std::string_view rows) {
      return model.add_source(
          name, Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol(rows), Dim(2)}));
    };
    const OutletId x = input("x", "N"), bias = input("bias", "M");
    const OutletId sum = model.wire_one("sum", Binary{BinaryOp::add}, {x, bias});
    model.set_fact(sum, model.fact(x));
    model.add_output("y", sum);
    TypedModel optimised = model;
    optimise(optimised);
    for (const TypedModel& stage : {model, optimised}) {
      Session session(Plan::build(stage));
      const auto run = [&](std::int64_t rows, std::int64_t more) {
        const ValueList inputs{MutableTensor::zeros(DatumType::f32, {rows, 2}).freeze(),
                               MutableTensor::zeros(DatumType::f32, {more, 2}).freeze()};
        return session.run(inputs)[0].tensor().shape();
      };
      CHECK(run(3, 1) == Shape{3, 2});
      for (int again = 0; again < 4; ++again)
        CHECK_THROWS_WITH_AS(run(1, 3), doctest::Contains("is f32[3,2], the model says f32[1,2]"),
                             Error);
      CHECK(run(3, 3) == Shape{3, 2});
    }
  }

  TEST_CASE("a kernel that goes another way for shorter axes has the memory for it") {
    // A right operand of several matrices is packed where it is small, and a few columns are
    // copied.
    const auto fact = [](std::initializer_list<const char*> names) {
      std::vector<Dim> dims;
      for (const char* name : names) dims.push_back(Dim::symbol(name));
      return Fact::tensor(DatumType::f32, dims);
    };
    TypedModel model;
    const OutletId a = model.add_source("a", fact({"B", "N", "K"}));
    const OutletId b = model.add_source("b", fact({"K", "M"}));
    model.add_output("y", model.wire_one("y", MatMul{}, {a, b}));
    optimise(model);
    const auto numbers = [](const Shape& shape) {
      MutableTensor out(DatumType::f32, shape);
      float next = -3;
      for (float& x : out.as<float>()) x = next, next = next == 3 ? -3 : next + 1;
      return std::move(out).freeze();
    };
    const auto inputs = [&](std::int64_t batch, std::int64_t n, std::int64_t k, std::int64_t m) {
      return ValueList{numbers({batch, n, k}), numbers({k, m})};
    };
    for (const auto& [n, k, before, after] :
         {std::tuple{64, 257, 150, 75}, {41, 20000, 6, 4}, {64, 3000, 9, 8}})
      for (const std::int64_t batch : {1, 3}) {
        Session session(Plan::build(model));
        session.run(inputs(batch, n, k, before));
        const ValueList again = inputs(batch, n, k, after);
        CHECK(session.run(again) == run_model(model, again));
      }
  }

  TEST_CASE("more open sizes than 64 bits hold the product of, were they large") {
    std::vector<Dim> sizes;
    for (const char* name : {"A", "B", "C", "D", "E"}) sizes.push_back(Dim::symbol(name));
    TypedModel model;
    const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, sizes));
    const OutletId flat = model.wire_one(
        "flat", Reshape{}, {x, model.constant("all", Tensor::of<std::int64_t>({1}, {-1}))});
    model.add_output("y", model.wire_one("negated", Unary{UnaryOp::neg}, {flat}));
    optimise(model);
    const Value given = MutableTensor::zeros(DatumType::f32, {2, 1, 3, 2, 2}).freeze();
    CHECK(run_model(model, {&given, 1})[0].tensor().shape() == Shape{24});
  }

  TEST_CASE("a view has the size of what it is a view of, also when that changes") {
    TypedModel model;
    const OutletId x = model.add_source(
        "x", Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol("M"), Dim(2)}));
    const OutletId view = model.wire_one(
        "view", Unsqueeze{}, {x, model.constant("axes", Tensor::of<std::int64_t>({1}, {0}))});
    model.set_fact(view, Fact::tensor(DatumType::f32, Shape{1, 3, 2}));
    model.add_output("y", model.wire_one("negated", Unary{UnaryOp::neg}, {view}));
    optimise(model);
    Session session(Plan::build(std::move(model)));
    const auto run = [&](std::int64_t rows) {
      const Value given = MutableTensor::zeros(DatumType::f32, {rows, 2}).freeze();
      return session.run({&given, 1})[0].tensor().shape();
    };
    CHECK(run(3) == Shape{1, 3, 2});
    for (const std::int64_t rows : {1, 5})
      CHECK_THROWS_WITH_AS(run(rows), doctest::Contains("the model says f32[1,3,2]"), Error);
    CHECK(run(3) == Shape{1, 3, 2});
  }

  TEST_CASE("numbers below the least normal one count as zero where that is asked for") {
    TypedModel model;
    constexpr std::int64_t kSize = 192;
    const Shape shape{kSize, kSize};
    const auto filled = [&](float value) {
      MutableTensor out(DatumType::f32, shape);
      std::ranges::fill(out.as<float>(), value);
      return std::move(out).freeze();
    };
    const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, shape));
    const OutletId w = model.constant("w", filled(1e-12f));
    model.add_output("y", model.wire_one("y", MatMul{}, {x, w}));
    optimise(model);
    const auto plan = Plan::build(std::move(model));
    for (const std::size_t threads : {1, 2})
      for (const bool is_zero : {false, true}) {
        Session session(plan, {.threads = threads, .denormals_as_zero = is_zero});
        for (const float value : {1e-29f, 1e-40f}) {  // of products, then of operands
          const Tensor y = session.run(ValueList{filled(value)})[0].tensor();
          const bool vanishes = is_zero || value < 1e-38f;
          CHECK(std::ranges::all_of(y.as<float>(), [&](float n) { return (n == 0) == vanishes; }));
        }
        const volatile float denormal = 1e-40f;
        CHECK(denormal * 2.0f > 0);  // the caller's own numbers are what they were
      }
  }

  TEST_CASE("what is not there is refused") {
    CHECK_THROWS_WITH_AS(Session(nullptr), "a session is given no plan", Error);
    CHECK_THROWS_WITH_AS(Plan::build(std::shared_ptr<const TypedModel>()),
                         "a plan is given no model", Error);
    const auto plan = Plan::build(chain(Increment{}, 1, Shape{1}));
    for (const std::size_t threads : {std::size_t{0}, std::size_t{1025}, SIZE_MAX})
      CHECK_THROWS_WITH_AS(Session(plan, {threads}), doctest::Contains("1 to 1024 threads"), Error);
    TypedModel model;
    CHECK_THROWS_WITH_AS(model.add_output("y", {7, 0}),
                         doctest::Contains("a wire that is not there"), Error);
  }

  TEST_CASE("what sequences and optionals from outside hold is looked at") {
    TypedModel model;
    const Fact item = Fact::tensor(DatumType::f32, ShapeFact::open());
    const OutletId parts = model.add_source("parts", Fact::sequence(item)),
                   chance = model.add_source("chance", Fact::optional(Fact::sequence(item)));
    model.add_output("parts", parts);
    model.add_output("chance", chance);
    Session session(Plan::build(std::move(model)));
    const ValueType number = ValueType::tensor(DatumType::f32);
    const Tensor bytes = Tensor::of<std::uint8_t>({1}, {1});
    const Sequence good{number, {floats({1, 2}), floats({3})}}, bad{number, {floats({1}), bytes}};
    const auto optional = [](const Sequence& held) {
      return Optional{ValueType::sequence(held.element), std::make_shared<const Value>(held)};
    };
    CHECK_NOTHROW(session.run(ValueList{good, optional(good)}));
    CHECK_NOTHROW(session.run(ValueList{good, Optional{ValueType::sequence(number), nullptr}}));
    CHECK_THROWS_WITH_AS(session.run(ValueList{bad, optional(good)}),
                         doctest::Contains("item 1 is u8[1]"), Error);
    CHECK_THROWS_WITH_AS(session.run(ValueList{good, optional(bad)}),
                         doctest::Contains("input \"chance\""), Error);
    const Sequence other{ValueType::tensor(DatumType::u8), {bytes}};
    CHECK_THROWS_WITH_AS(
        session.run(ValueList{
            good, Optional{ValueType::sequence(number), std::make_shared<const Value>(other)}}),
        doctest::Contains("what it holds is sequence(tensor(u8))"), Error);
  }

  TEST_CASE("what was moved from, is empty or is not there is refused") {
    Session session(Plan::build(chain(Increment{}, 1, Shape{1})));
    Session moved = std::move(session);
    CHECK_THROWS_WITH_AS(session.run(ValueList{floats({1})}), doctest::Contains("moved from"),
                         Error);
    CHECK_THROWS_WITH_AS(session.cancel_token(), doctest::Contains("moved from"), Error);
    CHECK_NOTHROW(moved.run(ValueList{floats({1})}));
    TypedModel model = chain(Increment{}, 1, Shape{1});
    CHECK_THROWS_WITH_AS(model.wire("y", TypedOp(), {}), doctest::Contains("no op"), Error);
    CHECK_THROWS_WITH_AS(model.wire_one("y", TypedOp(), {}), doctest::Contains("no op"), Error);
    CHECK_THROWS_WITH_AS(model.input_fact(1), "input 1 of a model that has 1", Error);
    CHECK_THROWS_WITH_AS(model.input_name(1), "input 1 of a model that has 1", Error);
    CHECK_THROWS_WITH_AS(model.output_fact(1), "output 1 of a model that has 1", Error);
  }
}
