#include "strata/core/ops/tf_idf.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("tf_idf") {
  TEST_CASE("tf_idf counts n-grams") {
    check_op((TfIdf{TfIdfMode::tf,
                    2,
                    2,
                    0,
                    {0, 4},
                    {0, 1, 2, 3, 4, 5, 6},
                    {},
                    Tensor::of<std::int64_t>({10}, {2, 3, 5, 4, 5, 6, 7, 8, 6, 7})}),
             {Tensor::of<std::int64_t>({12}, {1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8})},
             {Tensor::of<float>({7}, {0, 0, 0, 0, 1, 1, 1})});
    check_op((TfIdf{TfIdfMode::tf,
                    1,
                    2,
                    5,
                    {0, 4},
                    {0, 1, 2, 3, 4, 5, 6},
                    {},
                    Tensor::of<std::int64_t>({10}, {2, 3, 5, 4, 5, 6, 7, 8, 6, 7})}),
             {Tensor::of<std::int64_t>({12}, {1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8})},
             {Tensor::of<float>({7}, {0, 3, 1, 0, 1, 3, 1})});
  }

  TEST_CASE("tf_idf counts each of several n-grams that are the same") {
    // Of one word: 5, 5 and 6; of two: (5, 6) twice.
    check_op((TfIdf{TfIdfMode::tf,
                    1,
                    2,
                    0,
                    {0, 3},
                    {0, 1, 2, 3, 3},
                    {},
                    Tensor::of<std::int64_t>({7}, {5, 5, 6, 5, 6, 5, 6})}),
             {Tensor::of<std::int64_t>({2, 3}, {5, 6, 7, 6, 5, 5})},
             {Tensor::of<float>({2, 4}, {1, 1, 1, 2, 2, 2, 1, 0})});
  }

  TEST_CASE("tf_idf counts words in texts, and no n-gram across the end of a row") {
    check_op((TfIdf{TfIdfMode::tf,
                    2,
                    2,
                    1,
                    {0, 0},
                    {0, 1},
                    {},
                    Tensor::of<std::string>({4}, {"a", "b", "b", "a"})}),
             {Tensor::of<std::string>({2, 3}, {"a", "b", "b", "a", "c", "b"})},
             {Tensor::of<float>({2, 2}, {2, 0, 1, 0})});
  }

  TEST_CASE("tf_idf_c1: words for a pool of integers") {
    CHECK_THROWS_WITH_AS(
        facts_of((TfIdf{TfIdfMode::tf,
                        1,
                        2,
                        0,
                        {0, 4},
                        {0, 1, 2, 3, 4, 5, 6},
                        {},
                        Tensor::of<std::int64_t>({10}, {2, 3, 5, 4, 5, 6, 7, 8, 6, 7})}),
                 {Fact::tensor(DatumType::string, Shape{3})}),
        doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("tf_idf_c2: an index too few") {
    CHECK_THROWS_WITH_AS(
        facts_of(
            (TfIdf{TfIdfMode::tf, 1, 1, 0, {0}, {0}, {}, Tensor::of<std::int64_t>({2}, {2, 3})}),
            {Fact::tensor(DatumType::i64, Shape{3})}),
        doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("tf_idf_c3: starts that fall") {
    CHECK_THROWS_WITH_AS(
        facts_of(
            (TfIdf{TfIdfMode::tf, 1, 1, 0, {2, 0}, {0}, {}, Tensor::of<std::int64_t>({2}, {2, 3})}),
            {Fact::tensor(DatumType::i64, Shape{3})}),
        doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("tf_idf_c4: no length") {
    CHECK_THROWS_WITH_AS(
        facts_of((TfIdf{TfIdfMode::tf,
                        0,
                        2,
                        0,
                        {0, 4},
                        {0, 1, 2, 3, 4, 5, 6},
                        {},
                        Tensor::of<std::int64_t>({10}, {2, 3, 5, 4, 5, 6, 7, 8, 6, 7})}),
                 {Fact::tensor(DatumType::i64, Shape{3})}),
        doctest::Contains("(C4)"), Error);
  }
}
