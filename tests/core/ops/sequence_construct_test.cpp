#include "strata/core/ops/sequence_construct.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("sequence_construct") {
  TEST_CASE("sequence_construct lists its inputs") {
    check_op(SequenceConstruct{}, {Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({1}, {5})},
             {Sequence{ValueType::tensor(DatumType::f32),
                       {Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({1}, {5})}}});
    CHECK(*facts_of(SequenceConstruct{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                          Fact::tensor(DatumType::f32, Shape{2})})[0]
               .length == Dim(2));
  }

  TEST_CASE("sequence_construct_c1: no input") {
    CHECK_THROWS_WITH_AS(facts_of(SequenceConstruct{}, {}), doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("sequence_construct_c2: two types") {
    CHECK_THROWS_WITH_AS(facts_of(SequenceConstruct{}, {Fact::tensor(DatumType::f32, Shape{1}),
                                                        Fact::tensor(DatumType::i64, Shape{1})}),
                         doctest::Contains("(C2)"), Error);
  }
}
