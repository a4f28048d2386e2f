#include "strata/core/ops/concat_from_sequence.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("concat_from_sequence") {
  TEST_CASE("concat_from_sequence joins or stacks items") {
    check_op(ConcatFromSequence{0},
             {Sequence{ValueType::tensor(DatumType::f32),
                       {Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({1}, {5})}}},
             {Tensor::of<float>({3}, {1, 2, 5})});
    check_op((ConcatFromSequence{-1, SequenceJoin::new_axis}),
             {Sequence{ValueType::tensor(DatumType::f32),
                       {Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({2}, {3, 4})}}},
             {Tensor::of<float>({2, 2}, {1, 3, 2, 4})});
  }

  TEST_CASE("concat_from_sequence_c1: no sequence") {
    CHECK_THROWS_WITH_AS(facts_of(ConcatFromSequence{}, {Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("concat_from_sequence_c2: an axis outside the rank") {
    CHECK_THROWS_WITH_AS(facts_of(ConcatFromSequence{1},
                                  {Fact::sequence(Fact::tensor(DatumType::f32, Shape{2}), Dim(2))}),
                         doctest::Contains("axis 1 is outside rank 1"), Error);
  }

  TEST_CASE("concat_from_sequence_c3: no item") {
    CHECK_THROWS_WITH_AS(TypedOp(ConcatFromSequence{})
                             .eval(ValueList{Sequence{ValueType::tensor(DatumType::f32), {}}}),
                         doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("concat_from_sequence_c4: items of two ranks") {
    CHECK_THROWS_WITH_AS(TypedOp(ConcatFromSequence{})
                             .eval(ValueList{Sequence{ValueType::tensor(DatumType::f32),
                                                      {Tensor::of<float>({2}, {1, 2}),
                                                       Tensor::of<float>({1, 1}, {1})}}}),
                         doctest::Contains("(C4)"), Error);
  }
}
