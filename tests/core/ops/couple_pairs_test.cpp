#include "strata/core/ops/couple_pairs.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("couple_pairs") {
  TEST_CASE("couple_pairs gives two classes the probability of their one pair") {
    check_op(CouplePairs{2}, {Tensor::of<double>({1, 1}, {0.5})},
             {Tensor::of<double>({1, 2}, {0.5, 0.5})});
    // Sweeps end near the optimum, not at it.
    const auto found = CouplePairs{2}.eval(TensorList{Tensor::of<double>({2, 1}, {0.7, 0.25})});
    check_close(found[0], Tensor::of<double>({2, 2}, {0.7, 0.3, 0.25, 0.75}), 0, 1e-3);
  }
  TEST_CASE("couple_pairs keeps classes apart that no pair prefers") {
    check_op(CouplePairs{3}, {Tensor::of<double>({1, 3}, {0.5, 0.5, 0.5})},
             {Tensor::of<double>({1, 3}, {1. / 3, 1. / 3, 1. / 3})});
  }
  TEST_CASE("couple_pairs finds the probabilities that pairs were made from") {
    // p = 0.5, 0.3, 0.2; the pair of i and j is p_i / (p_i + p_j).
    const Tensor pairs = Tensor::of<double>({1, 3}, {0.5 / 0.8, 0.5 / 0.7, 0.3 / 0.5});
    const auto found = CouplePairs{3}.eval(TensorList{pairs});
    check_close(found[0], Tensor::of<double>({1, 3}, {0.5, 0.3, 0.2}), 0, 0.005);
  }

  TEST_CASE("couple_pairs_c1: integers") {
    CHECK_THROWS_WITH_AS(facts_of(CouplePairs{2}, {Fact::tensor(DatumType::i32, Shape{1, 1})}),
                         doctest::Contains("(C1)"), Error);
  }
  TEST_CASE("couple_pairs_c2: two pairs of three classes") {
    CHECK_THROWS_WITH_AS(facts_of(CouplePairs{3}, {Fact::tensor(DatumType::f32, Shape{1, 2})}),
                         doctest::Contains("(C2)"), Error);
    CHECK_THROWS_WITH_AS(CouplePairs{3}.eval(TensorList{Tensor::of<float>({1, 1}, {0.5})}),
                         doctest::Contains("(C2)"), Error);
  }
  TEST_CASE("couple_pairs_c3: one class") {
    CHECK_THROWS_WITH_AS(facts_of(CouplePairs{1}, {Fact::tensor(DatumType::f32, Shape{1, 0})}),
                         doctest::Contains("(C3)"), Error);
  }
}
