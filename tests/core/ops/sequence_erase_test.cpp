#include "strata/core/ops/sequence_erase.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("sequence_erase") {
  TEST_CASE("sequence_erase takes an item out") {
    check_op(SequenceErase{},
             {Sequence{ValueType::tensor(DatumType::f32),
                       {Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({1}, {5})}}},
             {Sequence{ValueType::tensor(DatumType::f32), {Tensor::of<float>({2}, {1, 2})}}});
    check_op(SequenceErase{},
             {Sequence{ValueType::tensor(DatumType::f32),
                       {Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({1}, {5})}},
              Tensor::scalar<std::int64_t>(-2)},
             {Sequence{ValueType::tensor(DatumType::f32), {Tensor::of<float>({1}, {5})}}});
  }

  TEST_CASE("sequence_erase_c1: no sequence") {
    CHECK_THROWS_WITH_AS(facts_of(SequenceErase{}, {Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("sequence_erase_c2: a position of floats") {
    CHECK_THROWS_WITH_AS(
        facts_of(SequenceErase{}, {Fact::sequence(Fact::tensor(DatumType::f32, Shape{2}), Dim(2)),
                                   Fact::tensor(DatumType::f32, Shape{})}),
        doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("sequence_erase_c3: past the end") {
    CHECK_THROWS_WITH_AS(TypedOp(SequenceErase{})
                             .eval(ValueList{Sequence{ValueType::tensor(DatumType::f32),
                                                      {Tensor::of<float>({2}, {1, 2})}},
                                             Tensor::scalar<std::int64_t>(1)}),
                         doctest::Contains("(C3)"), Error);
  }
}
