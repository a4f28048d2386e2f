#include "strata/core/ops/reverse_sequence.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("reverse_sequence") {
  TEST_CASE("reverse_sequence turns the start of each batch around") {
    check_op((ReverseSequence{1, 0}),
             {Tensor::of<float>({3, 2}, {0, 3, 1, 4, 2, 5}), Tensor::of<std::int64_t>({2}, {3, 2})},
             {Tensor::of<float>({3, 2}, {2, 4, 1, 3, 0, 5})});
  }

  TEST_CASE("reverse_sequence_c1: one axis for both") {
    CHECK_THROWS_WITH_AS(
        facts_of((ReverseSequence{0, 0}), {Fact::tensor(DatumType::f32, Shape{2, 2}),
                                           Fact::tensor(DatumType::i64, Shape{2})}),
        doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("reverse_sequence_c2: a length too few") {
    CHECK_THROWS_WITH_AS(facts_of(ReverseSequence{}, {Fact::tensor(DatumType::f32, Shape{2, 2}),
                                                      Fact::tensor(DatumType::i64, Shape{1})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("reverse_sequence_c3: a length beyond the axis") {
    CHECK_THROWS_WITH_AS(
        TypedOp(ReverseSequence{})
            .eval(ValueList{Tensor::of<float>({1, 1}, {1}), Tensor::of<std::int64_t>({1}, {2})}),
        doctest::Contains("(C3)"), Error);
  }
}
