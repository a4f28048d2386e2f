#include "strata/hir/ops/linear_attention.h"

#include <doctest/doctest.h>

#include <limits>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

/// Two steps of one head of size 1.
const Value kQ = floats({1, 2, 1}, {1, 1});
const Value kK = floats({1, 2, 1}, {2, 3});
const Value kV = floats({1, 2, 1}, {5, 7});
const LinearAttention kPlain{1, 1, 1.0};

}  // namespace

TEST_SUITE("hir LinearAttention") {
  TEST_CASE("the state sums up the products of keys and values") {
    // 2 * 5, then 10 + 3 * 7
    check_inference_op(kPlain, {kQ, kK, kV},
                       {floats({1, 2, 1}, {10, 31}), floats({1, 1, 1, 1}, {31})});
  }

  TEST_CASE("an earlier state goes on") {
    check_inference_op(kPlain, {kQ, kK, kV, floats({1, 1, 1, 1}, {100})},
                       {floats({1, 2, 1}, {110, 131}), floats({1, 1, 1, 1}, {131})});
  }

  TEST_CASE("a state decays by the exponential of its gate") {
    // exp(0) = 1, exp(-inf) = 0
    const Value gate = floats({1, 2, 1}, {0, -std::numeric_limits<float>::infinity()});
    check_inference_op(kPlain, {kQ, kK, kV, std::nullopt, gate},
                       {floats({1, 2, 1}, {10, 21}), floats({1, 1, 1, 1}, {21})});
  }

  TEST_CASE("a value is corrected by what the state gives for its key") {
    // 10 + 3 * 0.5 * (7 - 10 * 3)
    const Value beta = floats({1, 2, 1}, {1, 0.5});
    check_inference_op(kPlain, {kQ, kK, kV, std::nullopt, std::nullopt, beta},
                       {floats({1, 2, 1}, {10, -24.5}), floats({1, 1, 1, 1}, {-24.5})});
  }

  TEST_CASE("heads of the query share a state") {
    check_inference_op(LinearAttention{2, 1, 1.0}, {floats({1, 2, 2}, {1, 2, 1, 2}), kK, kV},
                       {floats({1, 2, 2}, {10, 20, 31, 62}), floats({1, 1, 1, 1}, {31})});
  }
}
