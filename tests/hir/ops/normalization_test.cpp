#include "strata/hir/ops/normalization.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir normalization of half floats") {
  TEST_CASE("f16 numbers whose norm f16 cannot hold are normalised") {
    check_inference_op(LpNormalization{.p = 1}, {halves({1, 2}, {40000, 40000})},
                       {halves({1, 2}, {0.5, 0.5})}, Undeclared::right);
    check_inference_op(LpNormalization{.p = 2}, {halves({1, 2}, {48000, 36000})},
                       {halves({1, 2}, {0.8F, 0.6F})}, Undeclared::right);
  }

  TEST_CASE("f16 numbers whose variance f16 cannot hold are normalised") {
    check_inference_op(MeanVarianceNormalization{.axes = {0}}, {halves({2}, {300, -300})},
                       {halves({2}, {1, -1})});
  }
}
