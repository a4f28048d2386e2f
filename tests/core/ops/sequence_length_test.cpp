#include "strata/core/ops/sequence_length.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("sequence_length") {
  TEST_CASE("sequence_length counts items") {
    check_op(SequenceLength{},
             {Sequence{ValueType::tensor(DatumType::f32),
                       {Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({1}, {5})}}},
             {Tensor::scalar<std::int64_t>(2)});
    CHECK(facts_of(SequenceLength{},
                   {Fact::sequence(Fact::tensor(DatumType::f32, Shape{2}), Dim(2))})[0]
              .constant() != nullptr);
  }

  TEST_CASE("sequence_length_c1: no sequence") {
    CHECK_THROWS_WITH_AS(facts_of(SequenceLength{}, {Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("(C1)"), Error);
  }
}
