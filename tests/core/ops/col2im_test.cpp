#include "strata/core/ops/col2im.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

Tensor sizes(std::initializer_list<std::int64_t> values) {
  return Tensor::vector<std::int64_t>(std::span(values.begin(), values.size()));
}

}  // namespace

TEST_SUITE("col2im") {
  const Tensor columns = Tensor::of<float>({1, 2, 2}, {1, 2, 3, 4});

  TEST_CASE("col2im adds up where windows overlap") {
    // A window of 2 has 2 places in an image of 3; the middle is in both.
    check_op(Col2Im{}, {columns, sizes({3}), sizes({2})},
             {Tensor::of<float>({1, 1, 3}, {1, 5, 4})});
  }

  TEST_CASE("col2im with strides and pads") {
    // Padded to 4, a window of 2 with stride 2 has 2 places: elements -1,0 and 1,2.
    check_op(Col2Im{{2}, {1}, {1, 0}}, {columns, sizes({3}), sizes({2})},
             {Tensor::of<float>({1, 1, 3}, {3, 2, 4})});
  }

  TEST_CASE("col2im_c1: a matrix of columns") {
    CHECK_THROWS_WITH_AS(facts_of(Col2Im{}, {Fact::tensor(DatumType::f32, Shape{2, 2}),
                                             Fact::of(sizes({3})), Fact::of(sizes({2}))}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("col2im_c2: an image without size") {
    CHECK_THROWS_WITH_AS(Col2Im{}.eval(TensorList{columns, sizes({0}), sizes({2})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("col2im_c3: strides of another rank") {
    CHECK_THROWS_WITH_AS(
        facts_of(Col2Im{{1, 1}}, {Fact::of(columns), Fact::of(sizes({3})), Fact::of(sizes({2}))}),
        doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("col2im_c4: a column too few") {
    CHECK_THROWS_WITH_AS(Col2Im{}.eval(TensorList{columns, sizes({4}), sizes({2})}),
                         doctest::Contains("(C4)"), Error);
  }
}
