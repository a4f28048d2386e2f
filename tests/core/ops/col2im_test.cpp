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

  TEST_CASE("col2im of planes with strides, dilations and pads, in any type") {
    // Windows of 2 by 2, rows 2 apart, begin at rows -1 and 1 and columns -1, 1 and 3 of an image
    // of 3 by 4.
    std::vector<float> numbers(24);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i + 1);
    std::vector<float> image(12, 0);
    std::size_t at = 0;
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 2; ++x)
        for (int row = -1; row <= 1; row += 2)
          for (int column = -1; column <= 3; column += 2, ++at) {
            const int to_y = row + 2 * y, to_x = column + x;
            if (to_y >= 0 && to_y < 3 && to_x >= 0 && to_x < 4)
              image[static_cast<std::size_t>(4 * to_y + to_x)] += numbers[at];
          }
    const Col2Im op{.strides = {2, 2}, .dilations = {2, 1}, .pads = {1, 1, 1, 1}};
    const Tensor blocks = Tensor::of<float>({1, 4, 6}, numbers),
                 expected = Tensor::of<float>({1, 1, 3, 4}, image);
    check_op(op, {blocks, sizes({3, 4}), sizes({2, 2})}, {expected});
    for (const DatumType type : {DatumType::i32, DatumType::f16, DatumType::f64})
      check_op(op, {cast(blocks, type), sizes({3, 4}), sizes({2, 2})}, {cast(expected, type)});
  }

  TEST_CASE("col2im of integers wraps, and is exact") {
    const std::int64_t odd = (std::int64_t{1} << 53) + 1;
    check_op(Col2Im{},
             {Tensor::of<std::int64_t>({1, 2, 2}, {1, 2, odd, 4}), sizes({3}), sizes({2})},
             {Tensor::of<std::int64_t>({1, 1, 3}, {1, odd + 2, 4})});
    check_op(Col2Im{},
             {Tensor::of<std::int8_t>({1, 2, 2}, {1, 100, 100, 4}), sizes({3}), sizes({2})},
             {Tensor::of<std::int8_t>({1, 1, 3}, {1, -56, 4})});
  }

  TEST_CASE("col2im_c1: a matrix of columns") {
    CHECK_THROWS_WITH_AS(facts_of(Col2Im{}, {Fact::tensor(DatumType::f32, Shape{2, 2}),
                                             Fact::of(sizes({3})), Fact::of(sizes({2}))}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("col2im_c2: an image without size") {
    CHECK_THROWS_WITH_AS(Col2Im{}.eval(TensorList{columns, sizes({0}), sizes({2})}),
                         doctest::Contains("(C2)"), Error);
    CHECK_THROWS_WITH_AS(Col2Im{}.eval(TensorList{columns, sizes({}), sizes({})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("col2im_c3: strides of another rank") {
    CHECK_THROWS_WITH_AS(
        facts_of(Col2Im{{1, 1}}, {Fact::of(columns), Fact::of(sizes({3})), Fact::of(sizes({2}))}),
        doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("col2im_c3: windows whose places leave 64 bits") {
    const std::int64_t far = std::int64_t{1} << 62;
    CHECK_THROWS_WITH_AS(facts_of(Col2Im{.dilations = {far}},
                                  {Fact::of(columns), Fact::of(sizes({3})), Fact::of(sizes({2}))}),
                         doctest::Contains("(C3)"), Error);
    CHECK_THROWS_WITH_AS(Col2Im{}.eval(TensorList{columns, sizes({far}), sizes({2})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("col2im of a window that is larger than the image has no place") {
    const Col2Im op{.strides = {2}};
    const auto of = [](std::int64_t count) {
      return Tensor::of<float>({1, 3, count},
                               std::vector<float>(static_cast<std::size_t>(3 * count)));
    };
    check_op(op, {of(0), sizes({2}), sizes({3})}, {Tensor::of<float>({1, 1, 2}, {0, 0})});
    CHECK_THROWS_WITH_AS(op.eval(TensorList{of(1), sizes({2}), sizes({3})}),
                         doctest::Contains("(C4)"), Error);
  }

  TEST_CASE("col2im_c4: a column too few") {
    CHECK_THROWS_WITH_AS(Col2Im{}.eval(TensorList{columns, sizes({4}), sizes({2})}),
                         doctest::Contains("(C4)"), Error);
  }
}
