#include "strata/core/ops/label_encoder.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("label_encoder") {
  TEST_CASE("label_encoder looks keys up") {
    check_op(
        (LabelEncoder{Tensor::of<std::string>({2}, {"a", "b"}),
                      Tensor::of<std::int64_t>({2}, {7, 8}), Tensor::scalar<std::int64_t>(-1)}),
        {Tensor::of<std::string>({3}, {"b", "c", "a"})},
        {Tensor::of<std::int64_t>({3}, {8, -1, 7})});
  }

  TEST_CASE("label_encoder keeps its table, but a copy of other keys makes its own") {
    const Tensor x = Tensor::of<std::int64_t>({2}, {1, 2});
    LabelEncoder op{x, Tensor::of<float>({2}, {10, 20}), Tensor::scalar(0.0f)};
    for (int turn = 0; turn < 2; ++turn)
      check_close(op.eval(TensorList{x})[0], Tensor::of<float>({2}, {10, 20}));
    LabelEncoder other = op;
    other.keys = Tensor::of<std::int64_t>({2}, {2, 3});
    check_close(other.eval(TensorList{x})[0], Tensor::of<float>({2}, {0, 10}));
    op = other;
    check_close(op.eval(TensorList{x})[0], Tensor::of<float>({2}, {0, 10}));
  }

  TEST_CASE("label_encoder takes the first of equal keys; NaN and both zeros are keys") {
    const Tensor keys = Tensor::of<float>({4}, {NAN, 0, 1, 1});
    check_op((LabelEncoder{keys, Tensor::of<std::int64_t>({4}, {1, 2, 3, 4}),
                           Tensor::scalar<std::int64_t>(-1)}),
             {Tensor::of<float>({2, 2}, {NAN, -0.0f, 1, 5})},
             {Tensor::of<std::int64_t>({2, 2}, {1, 2, 3, -1})});
  }

  TEST_CASE("label_encoder is as quick for keys that were chosen to lie in one place of a table") {
    // Products by the odd number that spreads hashes, of which only the lower half differs.
    constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15ULL;
    std::uint64_t inverse = kSpread;
    for (int step = 0; step < 5; ++step) inverse *= 2 - kSpread * inverse;
    std::vector<std::int64_t> keys;
    for (std::uint64_t i = 0; i < 500'000; ++i) {
      const std::uint64_t hash = (std::uint64_t{12345} << 32 | i) * inverse;
      keys.push_back(static_cast<std::int64_t>((hash ^ hash >> 32) ^ std::uint64_t{1} << 63));
    }
    const Tensor all = Tensor::vector<std::int64_t>(std::span<const std::int64_t>(keys));
    const LabelEncoder op{all, all, Tensor::scalar<std::int64_t>(0)};
    CHECK(op.eval(TensorList{all})[0] == all);
  }

  TEST_CASE("label_encoder_c1: data of another type") {
    CHECK_THROWS_WITH_AS(facts_of((LabelEncoder{Tensor::of<std::string>({2}, {"a", "b"}),
                                                Tensor::of<std::int64_t>({2}, {7, 8}),
                                                Tensor::scalar<std::int64_t>(-1)}),
                                  {Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("label_encoder_c2: a value too few") {
    CHECK_THROWS_WITH_AS(facts_of((LabelEncoder{Tensor::of<std::string>({2}, {"a", "b"}),
                                                Tensor::of<std::int64_t>({1}, {1}),
                                                Tensor::scalar<std::int64_t>(0)}),
                                  {Fact::tensor(DatumType::string, Shape{1})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("label_encoder_c3: a default of another type") {
    CHECK_THROWS_WITH_AS(
        facts_of((LabelEncoder{Tensor::of<std::string>({2}, {"a", "b"}),
                               Tensor::of<std::int64_t>({2}, {7, 8}), Tensor::scalar(1.0f)}),
                 {Fact::tensor(DatumType::string, Shape{1})}),
        doctest::Contains("(C3)"), Error);
  }
}
