#include "strata/core/ops/deform_conv.h"

#include <doctest/doctest.h>

#include "support/f32_fact.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("deform_conv") {
  const Tensor x = Tensor::of<float>({1, 1, 4}, {1, 2, 3, 5});
  const Tensor w = Tensor::of<float>({1, 1, 2}, {1, 10});

  TEST_CASE("deform_conv without offsets is a convolution") {
    const Tensor still = Tensor::of<float>({1, 2, 3}, {0, 0, 0, 0, 0, 0});
    check_op(DeformConv{}, {x, w, still}, {Tensor::of<float>({1, 1, 3}, {21, 32, 53})});
  }
  TEST_CASE("deform_conv moves each tap, interpolates, and finds zeros outside") {
    // The first tap of each output stays; the second is moved by 1/2, 1 and 1: to 1.5, 3 and 4.
    const Tensor moved = Tensor::of<float>({1, 2, 3}, {0, 0, 0, 0.5, 1, 1});
    check_op(DeformConv{}, {x, w, moved}, {Tensor::of<float>({1, 1, 3}, {26, 52, 3})});
  }
  TEST_CASE("deform_conv weighs each tap by the mask") {
    const Tensor still = Tensor::of<float>({1, 2, 3}, {0, 0, 0, 0, 0, 0}),
                 mask = Tensor::of<float>({1, 2, 3}, {1, 0, 2, 1, 1, 0});
    check_op(DeformConv{}, {x, w, still, mask}, {Tensor::of<float>({1, 1, 3}, {21, 30, 6})});
  }

  TEST_CASE(
      "deform_conv moves each group of channels by its own offsets, in each item of the batch") {
    // Four channels of one element a place, 10 c + p: the first two move by 1, the others stay; in
    // the second item the other way round.
    const Tensor planes =
        Tensor::of<float>({2, 4, 2}, {0, 1, 10, 11, 20, 21, 30, 31, 0, 1, 10, 11, 20, 21, 30, 31});
    const Tensor ones = Tensor::of<float>({1, 4, 1}, {1, 2, 3, 4});
    const Tensor offsets = Tensor::of<float>({2, 2, 2}, {1, 1, 0, 0, 0, 0, 1, 1});
    // 1 + 2 * 11 + 3 * 20 + 4 * 30 and 3 * 21 + 4 * 31; 2 * 10 + 3 * 21 + 4 * 31 and 1 + 2 * 11.
    check_op(DeformConv{.offset_group = 2}, {planes, ones, offsets},
             {Tensor::of<float>({2, 1, 2}, {203, 187, 207, 23})});
  }

  TEST_CASE("deform_conv_c1: no offsets") {
    CHECK_THROWS_WITH_AS(facts_of(DeformConv{}, {f32({1, 1, 4}), f32({1, 1, 2})}),
                         doctest::Contains("(C1)"), Error);
  }
  TEST_CASE("deform_conv_c2: integers") {
    const Fact integers = Fact::tensor(DatumType::i32, Shape{1, 1, 4});
    CHECK_THROWS_WITH_AS(facts_of(DeformConv{}, {integers, integers, integers}),
                         doctest::Contains("(C2)"), Error);
  }
  TEST_CASE("deform_conv_c3: no spatial axis") {
    CHECK_THROWS_WITH_AS(facts_of(DeformConv{}, {f32({1, 1}), f32({1, 1}), f32({1, 1})}),
                         doctest::Contains("(C3)"), Error);
  }
  TEST_CASE("deform_conv_c4: strides for other axes") {
    CHECK_THROWS_WITH_AS(
        facts_of(DeformConv{{1, 1}}, {f32({1, 1, 4}), f32({1, 1, 2}), f32({1, 2, 3})}),
        doctest::Contains("(C4)"), Error);
  }
  TEST_CASE("deform_conv_c5: offsets of another shape") {
    const Tensor few = Tensor::of<float>({1, 1, 3}, {0, 0, 0});
    CHECK_THROWS_WITH_AS(DeformConv{}.eval(TensorList{x, w, few}), doctest::Contains("(C5)"),
                         Error);
  }
  TEST_CASE("deform_conv_c6: offset groups that do not divide") {
    const Tensor few = Tensor::of<float>({1, 1, 3}, {0, 0, 0});
    CHECK_THROWS_WITH_AS(DeformConv{.offset_group = 2}.eval(TensorList{x, w, few}),
                         doctest::Contains("(C6)"), Error);
  }
}
