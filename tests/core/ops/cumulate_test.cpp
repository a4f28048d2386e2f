#include "strata/core/ops/cumulate.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("cumulate") {
  TEST_CASE("sums and products grow along the axis") {
    const Tensor x = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor last = Tensor::scalar<std::int64_t>(-1),
                 first = Tensor::of<std::int32_t>({1}, {0});
    const auto of = [](std::initializer_list<float> values) {
      return Tensor::of<float>({2, 3}, values);
    };
    check_op(Cumulate{}, {x, last}, {of({1, 3, 6, 4, 9, 15})});
    check_op(Cumulate{}, {x, first}, {of({1, 2, 3, 5, 7, 9})});
    check_op(Cumulate{Cumulation::sum, true}, {x, last}, {of({0, 1, 3, 0, 4, 9})});
    check_op(Cumulate{Cumulation::sum, false, true}, {x, last}, {of({6, 5, 3, 15, 11, 6})});
    check_op(Cumulate{Cumulation::sum, true, true}, {x, last}, {of({5, 3, 0, 11, 6, 0})});
    check_op(Cumulate{Cumulation::prod}, {x, last}, {of({1, 2, 6, 4, 20, 120})});
    check_op(Cumulate{Cumulation::prod, true}, {x, last}, {of({1, 1, 2, 1, 4, 20})});
  }

  TEST_CASE("cumulate wraps integers") {
    check_op(Cumulate{}, {Tensor::of<std::int32_t>({2}, {INT32_MAX, 1}), Tensor::scalar(0)},
             {Tensor::of<std::int32_t>({2}, {INT32_MAX, INT32_MIN})});
  }

  TEST_CASE("cumulate_c1: no axis") {
    CHECK_THROWS_WITH_AS(facts_of(Cumulate{}, {Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("cumulate_c2: bools") {
    CHECK_THROWS_WITH_AS(facts_of(Cumulate{}, {Fact::tensor(DatumType::boolean, Shape{1}),
                                               Fact::of(Tensor::scalar(0))}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("cumulate_c3: two axes, or a float") {
    const Fact x = Fact::tensor(DatumType::f32, Shape{1}),
               two = Fact::tensor(DatumType::i64, Shape{2});
    CHECK_THROWS_WITH_AS(facts_of(Cumulate{}, {x, two}), doctest::Contains("(C3)"), Error);
    CHECK_THROWS_WITH_AS(facts_of(Cumulate{}, {x, x}), doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("cumulate_c4: an axis outside the rank") {
    CHECK_THROWS_WITH_AS(
        facts_of(Cumulate{}, {Fact::tensor(DatumType::f32, Shape{1}), Fact::of(Tensor::scalar(1))}),
        doctest::Contains("axis 1 is outside rank 1"), Error);
    try {
      Cumulate{}.eval(TensorList{Tensor::of<float>({1}, {2}), Tensor::scalar(1)});
      FAIL("an axis that a run gives is not looked at");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::run_time);
    }
  }
}
