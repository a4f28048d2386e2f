#include "strata/core/ops/transpose.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("transpose") {
  TEST_CASE("transpose reorders axes") {
    check_op(Transpose{}, {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
             {Tensor::of<float>({3, 2}, {1, 4, 2, 5, 3, 6})});
    check_op(Transpose{{1, 0, 2}}, {Tensor::of<float>({1, 2, 2}, {1, 2, 3, 4})},
             {Tensor::of<float>({2, 1, 2}, {1, 2, 3, 4})});
    check_op(Transpose{{2, 0, 1}}, {Tensor::of<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6})},
             {Tensor::of<float>({3, 1, 2}, {1, 4, 2, 5, 3, 6})});
    CHECK(facts_of(Transpose{{1, 0}}, {Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}})})[0]
              .shape.to_string() == "[3,N]");
  }

  TEST_CASE("transpose moves strings") {
    check_op(Transpose{}, {Tensor::of<std::string>({1, 2}, {"a", "b"})},
             {Tensor::of<std::string>({2, 1}, {"a", "b"})});
  }

  TEST_CASE("transpose_c1: no permutation") {
    CHECK_THROWS_WITH_AS(facts_of((Transpose{{0, 0}}), {Fact::tensor(DatumType::f32, Shape{2, 2})}),
                         doctest::Contains("(C1)"), Error);
  }
}
