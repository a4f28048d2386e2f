#include "strata/core/ops/roi_align.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

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

  TEST_CASE("roi_align looks at those samples of a huge region alone that lie in the image") {
    // Elements have a sample each, those outside are 0.
    const Tensor huge = Tensor::of<float>({2, 4}, {-1e9, -1e9, 1e9, 1e9, 1e9, -1e9, -1e9, 1e9});
    check_op(RoiAlign{.mode = RoiMode::max}, {x, huge, items},
             {Tensor::of<float>({2, 1, 1, 1}, {6, 0})});
    const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
    const Tensor nowhere = Tensor::of<float>({2, 4}, {-1e38, -1e38, 1e38, 1e38, nan, 0, 2, inf});
    for (const std::int64_t samples : {0, 2})
      check_op(RoiAlign{.samples = samples}, {x, nowhere, items},
               {Tensor::of<float>({2, 1, 1, 1}, {0, 0})});
  }
  TEST_CASE("roi_align has nothing to sample in an empty image") {
    check_op(RoiAlign{}, {Tensor::of<float>({2, 1, 0, 2}, {}), whole, items},
             {Tensor::of<float>({2, 1, 1, 1}, {0, 0})});
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
  TEST_CASE("roi_align_c5: no cells, or too many samples in one") {
    for (const RoiAlign& op : {RoiAlign{.height = 0}, RoiAlign{.samples = 1 << 17}})
      CHECK_THROWS_WITH_AS(facts_of(op, facts(DatumType::f32, {1, 1, 2, 2}, {1, 4})),
                           doctest::Contains("(C5)"), Error);
  }
  TEST_CASE("roi_align_c4: an image past the batch") {
    const Tensor past = Tensor::of<std::int64_t>({2}, {0, 2});
    CHECK_THROWS_WITH_AS(RoiAlign{}.eval(TensorList{x, whole, past}), doctest::Contains("(C4)"),
                         Error);
  }
}
