#include "strata/core/ops/size_of.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("size_of") {
  TEST_CASE("size_of counts elements") {
    check_op(SizeOf{}, {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
             {Tensor::scalar<std::int64_t>(6)});
    CHECK(facts_of(SizeOf{}, {Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}})})[0]
              .dims()
              ->front() == Dim(3) * Dim::symbol("N"));
  }

  TEST_CASE("size_of_c1: a sequence has no size") {
    CHECK_THROWS_WITH_AS(
        facts_of(SizeOf{}, {Fact::sequence(Fact::tensor(DatumType::f32, Shape{2}), Dim(2))}),
        doctest::Contains("(C1)"), Error);
  }
}
