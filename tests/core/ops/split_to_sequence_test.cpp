#include "strata/core/ops/split_to_sequence.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("split_to_sequence") {
  TEST_CASE("split_to_sequence cuts an axis") {
    check_op(SplitToSequence{0},
             {Tensor::of<float>({3}, {1, 2, 3}), Tensor::scalar<std::int64_t>(2)},
             {Sequence{ValueType::tensor(DatumType::f32),
                       {Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({1}, {3})}}});
    check_op(SplitToSequence{0},
             {Tensor::of<float>({3}, {1, 2, 3}), Tensor::of<std::int64_t>({2}, {1, 2})},
             {Sequence{ValueType::tensor(DatumType::f32),
                       {Tensor::of<float>({1}, {1}), Tensor::of<float>({2}, {2, 3})}}});
    check_op((SplitToSequence{1, false}), {Tensor::of<float>({2, 2}, {1, 2, 3, 4})},
             {Sequence{ValueType::tensor(DatumType::f32),
                       {Tensor::of<float>({2}, {1, 3}), Tensor::of<float>({2}, {2, 4})}}});
  }

  TEST_CASE("a split of one integer that is 1 is as none for the axis of the parts") {
    const Tensor x = Tensor::of<float>({2, 1}, {1, 2});
    const auto parts = [](Shape shape) {
      return Sequence{ValueType::tensor(DatumType::f32),
                      {Tensor::of<float>(shape, {1}), Tensor::of<float>(shape, {2})}};
    };
    const Tensor one = Tensor::scalar<std::int64_t>(1);
    check_op((SplitToSequence{0, false}), {x, one}, {parts({1})});
    check_op((SplitToSequence{0, false}), {x, Tensor::scalar<std::int32_t>(1)}, {parts({1})});
    check_op((SplitToSequence{0, true}), {x, one}, {parts({1, 1})});
    check_op((SplitToSequence{0, false}), {x, Tensor::of<std::int64_t>({2}, {1, 1})},
             {parts({1, 1})});
    check_op((SplitToSequence{0, false}), {x, Tensor::scalar<std::int64_t>(2)},
             {Sequence{ValueType::tensor(DatumType::f32), {x}}});
  }

  TEST_CASE("split_to_sequence_c1: an axis outside the rank") {
    CHECK_THROWS_WITH_AS(facts_of(SplitToSequence{1}, {Fact::tensor(DatumType::f32, Shape{2})}),
                         doctest::Contains("axis 1 is outside rank 1"), Error);
  }

  TEST_CASE("split_to_sequence_c2: a matrix of sizes") {
    CHECK_THROWS_WITH_AS(facts_of(SplitToSequence{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                                      Fact::tensor(DatumType::i64, Shape{1, 1})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("split_to_sequence_c3: parts of size 0") {
    CHECK_THROWS_WITH_AS(facts_of(SplitToSequence{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                                      Fact::of(Tensor::scalar<std::int64_t>(0))}),
                         doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("split_to_sequence_c4: sizes that do not sum up") {
    CHECK_THROWS_WITH_AS(
        TypedOp(SplitToSequence{})
            .eval(ValueList{Tensor::of<float>({2}, {1, 2}), Tensor::of<std::int64_t>({1}, {1})}),
        doctest::Contains("(C4)"), Error);
  }
}
