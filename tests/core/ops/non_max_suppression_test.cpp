#include "strata/core/ops/non_max_suppression.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

Tensor boxes() {  // the second overlaps the first by 1/2 of their union, the third none
  return Tensor::of<float>({1, 3, 4}, {0, 0, 1, 2, 1, 2, 0, 1, 0, 5, 1, 6});
}
ValueList operands(std::int64_t most, float iou, float score) {
  return {boxes(), Tensor::of<float>({1, 1, 3}, {0.5, 0.9f, 0.2f}), Tensor::scalar(most),
          Tensor::scalar(iou), Tensor::scalar(score)};
}
Tensor picked(std::initializer_list<std::int64_t> rows) {
  return Tensor::of<std::int64_t>({static_cast<std::int64_t>(rows.size() / 3), 3}, rows);
}
std::vector<Fact> facts(Shape box_shape, Shape score_shape) {
  return {Fact::tensor(DatumType::f32, box_shape), Fact::tensor(DatumType::f32, score_shape),
          Fact::tensor(DatumType::i64, Shape{}), Fact::tensor(DatumType::f32, Shape{}),
          Fact::tensor(DatumType::f32, Shape{})};
}

}  // namespace

TEST_SUITE("non_max_suppression") {
  const NonMaxSuppression op;

  TEST_CASE("non_max_suppression leaves out what overlaps a better box") {
    check_op(op, operands(3, 0.4f, 0), {picked({0, 0, 1, 0, 0, 2})});
    check_op(op, operands(3, 0.5f, 0), {picked({0, 0, 1, 0, 0, 0, 0, 0, 2})});
  }
  TEST_CASE("non_max_suppression obeys the limits") {
    check_op(op, operands(1, 0.5f, 0), {picked({0, 0, 1})});
    check_op(op, operands(3, 0.5f, 0.5f), {picked({0, 0, 1})});
    check_op(op, operands(0, 0.5f, 0), {picked({})});
  }

  TEST_CASE("non_max_suppression_c1: no thresholds") {
    CHECK_THROWS_WITH_AS(facts_of(op, {Fact::of(boxes())}), doctest::Contains("(C1)"), Error);
  }
  TEST_CASE("non_max_suppression_c2: boxes of rank 2") {
    CHECK_THROWS_WITH_AS(facts_of(op, facts({3, 4}, {1, 1, 3})), doctest::Contains("(C2)"), Error);
  }
  TEST_CASE("non_max_suppression_c3: more scores than boxes") {
    CHECK_THROWS_WITH_AS(facts_of(op, facts({1, 3, 4}, {1, 1, 4})), doctest::Contains("(C3)"),
                         Error);
  }
}
