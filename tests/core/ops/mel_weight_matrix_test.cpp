#include "strata/core/ops/mel_weight_matrix.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

ValueList operands(std::int64_t bands, std::int64_t length, float low, float high) {
  return {Tensor::scalar(bands), Tensor::scalar(length), Tensor::scalar<std::int64_t>(8000),
          Tensor::scalar(low), Tensor::scalar(high)};
}

}  // namespace

TEST_SUITE("mel_weight_matrix") {
  TEST_CASE("mel_weight_matrix lays a triangle over the spectrum") {
    // 4000 Hz are 2146.06 mels; none, one and two thirds of that are 0, 620.6 and 1791.3 Hz, which
    // of 16 samples at 8000 Hz are the bins floor(17 / 8000 * f) = 0, 1 and 3.
    check_op(MelWeightMatrix{}, operands(1, 16, 0, 4000),
             {Tensor::of<float>({9, 1}, {0, 1, 0.5, 0, 0, 0, 0, 0, 0})});
  }
  TEST_CASE("mel_weight_matrix_c1: too few inputs") {
    CHECK_THROWS_WITH_AS(facts_of(MelWeightMatrix{}, {}), doctest::Contains("(C1)"), Error);
  }
  TEST_CASE("mel_weight_matrix_c2: bands as a float") {
    const Fact number = Fact::tensor(DatumType::f32, Shape{});
    CHECK_THROWS_WITH_AS(facts_of(MelWeightMatrix{}, {number, number, number, number, number}),
                         doctest::Contains("(C2)"), Error);
  }
  TEST_CASE("mel_weight_matrix_c2: a rate without elements") {
    ValueList in = operands(1, 16, 0, 4000);
    in[2] = Tensor::vector(std::span<const std::int64_t>());
    CHECK_THROWS_WITH_AS(TypedOp(MelWeightMatrix{}).eval(in), doctest::Contains("(C2)"), Error);
  }
  TEST_CASE("mel_weight_matrix_c3: edges above half the rate") {
    const ValueList in = operands(1, 16, 0, 5000);
    CHECK_THROWS_WITH_AS(TypedOp(MelWeightMatrix{}).eval(in), doctest::Contains("(C3)"), Error);
  }
}
