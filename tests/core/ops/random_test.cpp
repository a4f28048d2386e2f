#include "strata/core/ops/random.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("random") {
  TEST_CASE("random has the shape it is told") {
    CHECK(facts_of(Random{}, {Fact::of(Tensor::of<std::int64_t>({2}, {2, 3}))})[0].shape.to_string() == "[2,3]");
    CHECK(facts_of(Random{}, {Fact::tensor(DatumType::i64, Shape{2})})[0].shape.rank() == 2);
  }

  TEST_CASE("random_c1: a negative size") {
    CHECK_THROWS_WITH_AS(facts_of(Random{}, {Fact::of(Tensor::of<std::int64_t>({1}, {-1}))}), doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("random_c2: random integers") {
    CHECK_THROWS_WITH_AS(facts_of((Random{RandomDistribution::normal, 0, 1, DatumType::i64}), {Fact::of(Tensor::of<std::int64_t>({1}, {1}))}), doctest::Contains("(C2)"), Error);
  }
}
