#include "strata/core/ops/sequence_insert.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("sequence_insert") {
  TEST_CASE("sequence_insert puts an item in") {
    check_op(SequenceInsert{},
             {Sequence{ValueType::tensor(DatumType::f32), {Tensor::of<float>({2}, {1, 2})}},
              Tensor::of<float>({1}, {5})},
             {Sequence{ValueType::tensor(DatumType::f32),
                       {Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({1}, {5})}}});
    check_op(SequenceInsert{},
             {Sequence{ValueType::tensor(DatumType::f32), {Tensor::of<float>({2}, {1, 2})}},
              Tensor::of<float>({1}, {5}), Tensor::scalar<std::int64_t>(-1)},
             {Sequence{ValueType::tensor(DatumType::f32),
                       {Tensor::of<float>({1}, {5}), Tensor::of<float>({2}, {1, 2})}}});
    check_op(SequenceInsert{},
             {Sequence{ValueType::tensor(DatumType::f32), {Tensor::of<float>({2}, {1, 2})}},
              Tensor::of<float>({1}, {5}), Tensor::scalar<std::int64_t>(1)},
             {Sequence{ValueType::tensor(DatumType::f32),
                       {Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({1}, {5})}}});
  }

  TEST_CASE("sequence_insert_c1: no sequence") {
    CHECK_THROWS_WITH_AS(facts_of(SequenceInsert{}, {Fact::tensor(DatumType::f32, Shape{1}),
                                                     Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("sequence_insert_c2: an item of another type") {
    CHECK_THROWS_WITH_AS(
        facts_of(SequenceInsert{}, {Fact::sequence(Fact::tensor(DatumType::f32, Shape{2}), Dim(2)),
                                    Fact::tensor(DatumType::i64, Shape{1})}),
        doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("sequence_insert_c3: a position of floats") {
    CHECK_THROWS_WITH_AS(
        facts_of(SequenceInsert{},
                 {Fact::sequence(Fact::tensor(DatumType::f32, Shape{2}), Dim(2)),
                  Fact::tensor(DatumType::f32, Shape{1}), Fact::tensor(DatumType::f32, Shape{})}),
        doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("sequence_insert_c4: past the end") {
    CHECK_THROWS_WITH_AS(
        TypedOp(SequenceInsert{})
            .eval(ValueList{
                Sequence{ValueType::tensor(DatumType::f32), {Tensor::of<float>({2}, {1, 2})}},
                Tensor::of<float>({2}, {1, 2}), Tensor::scalar<std::int64_t>(2)}),
        doctest::Contains("(C4)"), Error);
  }
}
