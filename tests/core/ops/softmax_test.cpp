#include "strata/core/ops/softmax.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("softmax") {
  TEST_CASE("softmax normalises along its axes") {
    // exp(0), exp(1), exp(2) over their sum 11.1073379
    const Tensor x = Tensor::of<float>({1, 3}, {0, 1, 2});
    check_op(Softmax{}, {x}, {Tensor::of<float>({1, 3}, {0.0900306F, 0.2447285F, 0.6652410F})});
    check_op(Softmax{SoftmaxKind::softmax, {0}}, {x}, {Tensor::of<float>({1, 3}, {1, 1, 1})});
    check_op(Softmax{SoftmaxKind::softmax, {0, 1}}, {Tensor::of<float>({2, 2}, {5, 5, 5, 5})},
             {Tensor::of<float>({2, 2}, {0.25F, 0.25F, 0.25F, 0.25F})});
    check_op(Softmax{SoftmaxKind::log_softmax}, {x},
             {Tensor::of<float>({1, 3}, {-2.4076059F, -1.4076059F, -0.4076059F})});
  }

  TEST_CASE("large numbers do not overflow") {
    check_op(Softmax{}, {Tensor::of<float>({2}, {1000, 1000})},
             {Tensor::of<float>({2}, {0.5F, 0.5F})});
  }

  TEST_CASE("hardmax marks the first of the greatest") {
    check_op(Softmax{SoftmaxKind::hardmax}, {Tensor::of<float>({2, 3}, {1, 3, 3, 2, 0, 1})},
             {Tensor::of<float>({2, 3}, {0, 1, 0, 1, 0, 0})});
  }

  TEST_CASE("softmax_c1: two inputs") {
    const Fact x = Fact::tensor(DatumType::f32, Shape{1});
    CHECK_THROWS_WITH_AS(facts_of(Softmax{}, {x, x}), doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("softmax_c2: integers") {
    CHECK_THROWS_WITH_AS(facts_of(Softmax{}, {Fact::tensor(DatumType::i32, Shape{1})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("softmax_c3: an axis outside the rank, or given twice") {
    CHECK_THROWS_WITH_AS(
        facts_of(Softmax{SoftmaxKind::softmax, {1}}, {Fact::tensor(DatumType::f32, Shape{1})}),
        doctest::Contains("axis 1 is outside rank 1"), Error);
    CHECK_THROWS_WITH_AS(facts_of(Softmax{SoftmaxKind::softmax, {0, -2}},
                                  {Fact::tensor(DatumType::f32, Shape{1, 1})}),
                         doctest::Contains("axis -2 is given twice"), Error);
  }
}
