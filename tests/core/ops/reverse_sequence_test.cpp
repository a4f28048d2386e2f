#include "strata/core/ops/reverse_sequence.h"

#include <doctest/doctest.h>

#include "strata/core/ops/support.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("reverse_sequence") {
  TEST_CASE("reverse_sequence turns the start of each batch around") {
    check_op((ReverseSequence{1, 0}),
             {Tensor::of<float>({3, 2}, {0, 3, 1, 4, 2, 5}), Tensor::of<std::int64_t>({2}, {3, 2})},
             {Tensor::of<float>({3, 2}, {2, 4, 1, 3, 0, 5})});
  }

  TEST_CASE("reverse_sequence along any two axes") {
    const Shape shape{2, 3, 2, 4};
    MutableTensor data(DatumType::i32, shape);
    for (std::int32_t i = 0; i < 48; ++i) data.as<std::int32_t>()[static_cast<std::size_t>(i)] = i;
    const Tensor x = std::move(data).freeze();
    for (std::size_t batch = 0; batch < 4; ++batch)
      for (std::size_t time = 0; time < 4; ++time) {
        if (batch == time) continue;
        CAPTURE(batch);
        CAPTURE(time);
        std::vector<std::int64_t> lengths;
        for (std::int64_t b = 0; b < shape[batch]; ++b) lengths.push_back(b % (shape[time] + 1));
        MutableTensor expected(DatumType::i32, shape);
        std::size_t at = 0;
        for_each_index(shape, [&](const Shape& index) {
          const std::int64_t length = lengths[static_cast<std::size_t>(index[batch])];
          Shape from = index;
          if (index[time] < length) from[time] = length - 1 - index[time];
          expected.as<std::int32_t>()[at++] =
              static_cast<std::int32_t>(((from[0] * 3 + from[1]) * 2 + from[2]) * 4 + from[3]);
        });
        check_op(ReverseSequence{static_cast<std::int64_t>(batch), static_cast<std::int64_t>(time)},
                 {x, Tensor::vector<std::int64_t>(lengths)}, {std::move(expected).freeze()});
      }
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

  TEST_CASE("lengths may be of any rank before the run") {
    const Fact data = Fact::tensor(DatumType::f32, Shape{2, 2});
    const Fact lengths = Fact::tensor(DatumType::i64, ShapeFact::open());
    CHECK(facts_of(ReverseSequence{}, {data, lengths})[0] == data);
  }

  TEST_CASE("reverse_sequence_c3: a length beyond the axis") {
    CHECK_THROWS_WITH_AS(
        TypedOp(ReverseSequence{})
            .eval(ValueList{Tensor::of<float>({1, 1}, {1}), Tensor::of<std::int64_t>({1}, {2})}),
        doctest::Contains("(C3)"), Error);
  }
}
