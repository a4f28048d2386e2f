#include <doctest/doctest.h>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/if.h"
#include "strata/core/ops/random.h"
#include "strata/core/ops/unary.h"
#include "support/if_model.h"

using namespace strata;
using namespace strata::tests;

namespace {

std::size_t fired(TypedModel& model) { return firings_of(declutter(model), "hoist_common_code"); }

/// unary(op(a, b))
Body body_of(BinaryOp op, UnaryOp unary, const Fact& operand) {
  TypedModel body;
  const OutletId a = body.add_source("a", operand), b = body.add_source("b", operand);
  const OutletId value = body.wire_one("value", Binary{op}, {a, b});
  body.add_output("out", body.wire_one("bent", Unary{unary}, {value}));
  return std::make_shared<TypedModel>(std::move(body));
}

/// -x for each of so many captured values, then all of them joined, the last one first or last.
Body joined_negations(std::size_t count, bool is_turned) {
  TypedModel body;
  OutletIds sources, negated;
  for (std::size_t i = 0; i < count; ++i)
    sources.push_back(body.add_source(cat("x", i), kUnknownSize));
  if (is_turned) std::reverse(sources.begin(), sources.end());
  for (const OutletId source : sources)
    negated.push_back(body.wire_one("negated", Unary{UnaryOp::neg}, {source}));
  body.add_output("out", body.wire_one("joined", Concat{0}, negated));
  return std::make_shared<TypedModel>(std::move(body));
}

}  // namespace

TEST_SUITE("hoist common code") {
  TEST_CASE("thousands of nodes of one op are told apart by what they read") {
    constexpr std::size_t kCount = 12'000;
    TypedModel model = choice(joined_negations(kCount, false), joined_negations(kCount, true),
                              std::vector<Fact>(kCount, kUnknownSize));
    CHECK(fired(model) == 1);
    REQUIRE(if_of(model) != nullptr);
    CHECK(computed_nodes(*if_of(model)->then_body) == 1);
    CHECK(computed_nodes(*if_of(model)->else_body) == 1);
    CHECK(count_of<Unary>(model) == kCount);
  }

  TEST_CASE("what both bodies compute is computed once, before them") {
    TypedModel model =
        choice(body_of(BinaryOp::add, UnaryOp::neg, kUnknownSize),
               body_of(BinaryOp::add, UnaryOp::exp, kUnknownSize), {kUnknownSize, kUnknownSize});
    CHECK(fired(model) == 1);
    REQUIRE(if_of(model) != nullptr);
    CHECK(computed_nodes(*if_of(model)->then_body) == 1);
    CHECK(computed_nodes(*if_of(model)->else_body) == 1);
    const ValueList out =
        run_model(model, ValueList{Tensor::scalar(true), floats({1, 2}), floats({3, 5})});
    check_close(out[0], floats({-4, -7}));
  }

  TEST_CASE("bodies that are the same leave no If") {
    const Body same = body_of(BinaryOp::add, UnaryOp::neg, kUnknownSize);
    TypedModel model = choice(same, same, {kUnknownSize, kUnknownSize});
    CHECK(fired(model) == 1);
    CHECK(if_of(model) == nullptr);
    for (const bool condition : {true, false})
      check_close(
          run_model(model, ValueList{Tensor::scalar(condition), floats({1, 2}), floats({3, 5})})[0],
          floats({-4, -7}));
  }

  TEST_CASE("what may fail is moved too, for it fails whichever body runs") {
    const Fact integers = Fact::tensor(DatumType::i64, std::vector<Dim>{Dim::symbol("N")});
    TypedModel model = choice(body_of(BinaryOp::div, UnaryOp::neg, integers),
                              body_of(BinaryOp::div, UnaryOp::abs, integers), {integers, integers});
    CHECK(fired(model) == 1);
    const Tensor a = Tensor::of<std::int64_t>({1}, {7}), b = Tensor::of<std::int64_t>({1}, {2}),
                 zero = Tensor::of<std::int64_t>({1}, {0});
    check_close(run_model(model, ValueList{Tensor::scalar(true), a, b})[0],
                Tensor::of<std::int64_t>({1}, {-3}));
    for (const bool condition : {true, false})
      CHECK_THROWS_WITH_AS(run_model(model, ValueList{Tensor::scalar(condition), a, zero}),
                           doctest::Contains("(C5) an integer is divided by 0"), Error);
  }

  TEST_CASE("what one body computes alone stays in it") {
    TypedModel model =
        choice(body_of(BinaryOp::add, UnaryOp::neg, kUnknownSize),
               body_of(BinaryOp::sub, UnaryOp::neg, kUnknownSize), {kUnknownSize, kUnknownSize});
    CHECK(fired(model) == 0);
  }

  TEST_CASE("random numbers stay where they are drawn") {
    const Fact shape = Fact::tensor(DatumType::i64, Shape{1});
    const auto random_body = [&](UnaryOp op) {
      TypedModel body;
      const OutletId drawn = body.wire_one("drawn", Random{}, {body.add_source("shape", shape)});
      body.add_output("out", body.wire_one("bent", Unary{op}, {drawn}));
      return std::make_shared<TypedModel>(std::move(body));
    };
    TypedModel model = choice(random_body(UnaryOp::neg), random_body(UnaryOp::exp), {shape});
    CHECK(fired(model) == 0);
  }

  TEST_CASE("constants of the bodies must be equal") {
    const auto scaled = [](float factor) {
      TypedModel body;
      const OutletId a = body.add_source("a", kUnknownSize);
      body.add_output("out", body.wire_one("scaled", Binary{BinaryOp::mul},
                                           {a, body.constant("factor", floats({factor}))}));
      return std::make_shared<TypedModel>(std::move(body));
    };
    TypedModel differ = choice(scaled(2), scaled(3), {kUnknownSize});
    CHECK(fired(differ) == 0);
    TypedModel same = choice(scaled(2), scaled(2), {kUnknownSize});
    CHECK(fired(same) == 1);
    check_close(run_model(same, ValueList{Tensor::scalar(false), floats({1, 2})})[0],
                floats({2, 4}));
  }
}
