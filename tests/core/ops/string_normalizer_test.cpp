#include "strata/core/ops/string_normalizer.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("string_normalizer") {
  TEST_CASE("string_normalizer takes out stop words") {
    check_op((StringNormalizer{StringCase::upper, StopWordMatch::exact, {"monday"}}),
             {Tensor::of<std::string>({3}, {"monday", "tuesday", "Monday"})},
             {Tensor::of<std::string>({2}, {"TUESDAY", "MONDAY"})});
    check_op((StringNormalizer{StringCase::lower, StopWordMatch::ignoring_case, {"monday"}}),
             {Tensor::of<std::string>({1, 3}, {"Monday", "TUESDAY", "monday"})},
             {Tensor::of<std::string>({1, 1}, {"tuesday"})});
    check_op((StringNormalizer{StringCase::keep, StopWordMatch::exact, {"a"}}),
             {Tensor::of<std::string>({1}, {"a"})}, {Tensor::of<std::string>({1}, {""})});
  }

  TEST_CASE("string_normalizer_c1: two rows") {
    CHECK_THROWS_WITH_AS(
        facts_of(StringNormalizer{}, {Fact::tensor(DatumType::string, Shape{2, 2})}),
        doctest::Contains("(C1)"), Error);
  }
}
