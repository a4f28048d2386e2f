#include "strata/core/ops/roi_align.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

std::vector<Fact> facts(DatumType type, Shape x, Shape rois) {
  return {Fact::tensor(type, x), Fact::tensor(type, rois),
          Fact::tensor(DatumType::i64, Shape{rois[0]})};
}

}  // namespace

TEST_SUITE("roi_align") {
  const Tensor x = Tensor::of<float>({2, 1, 2, 2}, {0, 2, 4, 6, 10, 10, 10, 10});
  const Tensor whole = Tensor::of<float>({2, 4}, {0, 0, 2, 2, 0, 0, 2, 2});
  const Tensor items = Tensor::of<std::int64_t>({2}, {0, 1});

  TEST_CASE("roi_align averages samples of each region") {
    // Elements lie half an element off: one sample in the middle of all four.
    check_op(RoiAlign{.samples = 1}, {x, whole, items}, {Tensor::of<float>({2, 1, 1, 1}, {3, 10})});
    // A sample in the middle of each element.
    check_op(RoiAlign{.height = 2, .width = 2, .samples = 1}, {x, whole, items},
             {Tensor::of<float>({2, 1, 2, 2}, {0, 2, 4, 6, 10, 10, 10, 10})});
  }
  TEST_CASE("roi_align takes the greatest weighted neighbour") {
    check_op(RoiAlign{.mode = RoiMode::max, .samples = 1}, {x, whole, items},
             {Tensor::of<float>({2, 1, 1, 1}, {1.5, 2.5})});
  }

  TEST_CASE("roi_align_c1: no regions") {
    CHECK_THROWS_WITH_AS(facts_of(RoiAlign{}, {Fact::of(x)}), doctest::Contains("(C1)"), Error);
  }
  TEST_CASE("roi_align_c2: integers") {
    CHECK_THROWS_WITH_AS(facts_of(RoiAlign{}, facts(DatumType::i32, {1, 1, 2, 2}, {1, 4})),
                         doctest::Contains("(C2)"), Error);
  }
  TEST_CASE("roi_align_c3: regions of five numbers") {
    CHECK_THROWS_WITH_AS(facts_of(RoiAlign{}, facts(DatumType::f32, {1, 1, 2, 2}, {1, 5})),
                         doctest::Contains("(C3)"), Error);
  }
  TEST_CASE("roi_align_c4: an image past the batch") {
    const Tensor past = Tensor::of<std::int64_t>({2}, {0, 2});
    CHECK_THROWS_WITH_AS(RoiAlign{}.eval(TensorList{x, whole, past}), doctest::Contains("(C4)"),
                         Error);
  }
}
