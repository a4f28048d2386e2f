#include "strata/core/ops/scatter_elements.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("scatter_elements") {
  TEST_CASE("scatter_elements replaces elements") {
    check_op(ScatterElements{1},
             {Tensor::of<float>({1, 5}, {1, 2, 3, 4, 5}), Tensor::of<std::int64_t>({1, 2}, {1, -2}),
              Tensor::of<float>({1, 2}, {1.1, 2.1})},
             {Tensor::of<float>({1, 5}, {1, 1.1, 3, 2.1, 5})});
  }

  TEST_CASE("scatter_elements joins elements") {
    check_op((ScatterElements{1, ScatterReduction::add}),
             {Tensor::of<float>({1, 3}, {1, 2, 3}), Tensor::of<std::int64_t>({1, 2}, {1, 1}),
              Tensor::of<float>({1, 2}, {1, 2})},
             {Tensor::of<float>({1, 3}, {1, 5, 3})});
    check_op((ScatterElements{0, ScatterReduction::max}),
             {Tensor::of<std::int64_t>({2}, {1, 5}), Tensor::of<std::int64_t>({2}, {0, 1}),
              Tensor::of<std::int64_t>({2}, {3, 2})},
             {Tensor::of<std::int64_t>({2}, {3, 5})});
    check_op((ScatterElements{0, ScatterReduction::mul}),
             {Tensor::of<std::int64_t>({2}, {2, 5}), Tensor::of<std::int64_t>({2}, {0, 0}),
              Tensor::of<std::int64_t>({2}, {3, 2})},
             {Tensor::of<std::int64_t>({2}, {12, 5})});
  }

  TEST_CASE("scatter_elements_c1: updates of another type") {
    CHECK_THROWS_WITH_AS(facts_of(ScatterElements{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                                      Fact::tensor(DatumType::i64, Shape{1}),
                                                      Fact::tensor(DatumType::i64, Shape{1})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("scatter_elements_c2: two ranks") {
    CHECK_THROWS_WITH_AS(facts_of(ScatterElements{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                                      Fact::tensor(DatumType::i64, Shape{1, 1}),
                                                      Fact::tensor(DatumType::f32, Shape{1, 1})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("scatter_elements_c3: updates of another shape") {
    CHECK_THROWS_WITH_AS(facts_of(ScatterElements{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                                      Fact::tensor(DatumType::i64, Shape{1}),
                                                      Fact::tensor(DatumType::f32, Shape{2})}),
                         doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("scatter_elements_c4: an index outside data") {
    CHECK_THROWS_WITH_AS(
        TypedOp(ScatterElements{})
            .eval(ValueList{Tensor::of<float>({2}, {1, 2}), Tensor::of<std::int64_t>({1}, {2}),
                            Tensor::of<float>({1}, {3})}),
        doctest::Contains("index 2 is outside an axis of 2"), Error);
  }
}
