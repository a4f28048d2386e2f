#include "strata/core/ops/random.h"

#include <doctest/doctest.h>

#include <cmath>

#include "strata/core/session.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

Tensor drawn(const Random& op) {
  TypedModel model;
  const OutletId shape = model.constant("shape", Tensor::of<std::int64_t>({1}, {4000}));
  model.add_output("y", model.wire_one("y", op, {shape}));
  return run_model(model, {})[0].tensor();
}

/// The mean of the first `power` powers of the elements.
double mean_power(const Tensor& data, int power) {
  double sum = 0;
  for (const float x : data.as<float>()) sum += power == 1 ? x : static_cast<double>(x) * x;
  return sum / static_cast<double>(data.size());
}

}  // namespace

TEST_SUITE("random") {
  TEST_CASE("random has the shape it is told") {
    CHECK(facts_of(Random{}, {Fact::of(Tensor::of<std::int64_t>({2}, {2, 3}))})[0]
              .shape.to_string() == "[2,3]");
    CHECK(facts_of(Random{}, {Fact::tensor(DatumType::i64, Shape{2})})[0].shape.rank() == 2);
  }

  TEST_CASE("random of one seed gives the same numbers, of another different ones") {
    const Random first{RandomDistribution::uniform, 0, 1, DatumType::f32, 1.0},
        second{RandomDistribution::uniform, 0, 1, DatumType::f32, 2.0};
    CHECK((drawn(first) == drawn(first)));
    CHECK_FALSE((drawn(first) == drawn(second)));
  }

  TEST_CASE("random numbers have the moments of their distribution") {
    // Four standard errors of 4000 numbers.
    const Tensor uniform = drawn({RandomDistribution::uniform, 2, 4, DatumType::f32, 7.0});
    CHECK(mean_power(uniform, 1) == doctest::Approx(4).epsilon(0.02));
    for (const float x : uniform.as<float>()) CHECK((x >= 2 && x <= 6));
    const Tensor normal = drawn({RandomDistribution::normal, 0, 3, DatumType::f32, 7.0});
    CHECK(std::abs(mean_power(normal, 1)) < 0.19);
    CHECK(mean_power(normal, 2) == doctest::Approx(9).epsilon(0.09));
  }

  TEST_CASE("random_c1: a negative size") {
    CHECK_THROWS_WITH_AS(facts_of(Random{}, {Fact::of(Tensor::of<std::int64_t>({1}, {-1}))}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("random_c2: random integers") {
    CHECK_THROWS_WITH_AS(facts_of(Random{RandomDistribution::normal, 0, 1, DatumType::i64},
                                  {Fact::of(Tensor::of<std::int64_t>({1}, {1}))}),
                         doctest::Contains("(C2)"), Error);
  }
}
