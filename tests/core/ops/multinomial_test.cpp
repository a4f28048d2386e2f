#include "strata/core/ops/multinomial.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("multinomial") {
  TEST_CASE("multinomial draws for each batch") {
    CHECK(facts_of(Multinomial{5}, {Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}})})[0]
              .shape.to_string() == "[N,5]");
  }

  TEST_CASE("multinomial_c1: a vector of logits") {
    CHECK_THROWS_WITH_AS(facts_of(Multinomial{}, {Fact::tensor(DatumType::f32, Shape{2})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("multinomial_c2: no sample") {
    CHECK_THROWS_WITH_AS(facts_of(Multinomial{0}, {Fact::tensor(DatumType::f32, Shape{1, 2})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("multinomial_c3: classes as floats") {
    CHECK_THROWS_WITH_AS(
        facts_of((Multinomial{1, DatumType::f32}), {Fact::tensor(DatumType::f32, Shape{1, 2})}),
        doctest::Contains("(C3)"), Error);
  }
}
