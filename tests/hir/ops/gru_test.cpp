#include "strata/hir/ops/gru.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

constexpr GateFunction kIdentity{GateFunctionKind::affine, 1, 0};
const RecurrentLayer kLinear{.functions = {kIdentity, kIdentity}};

/// Of one unit: z = 3 x, r = 5 x, and h's part of the candidate has the weight 7 and the bias 2.
const Value kX = floats({1, 1, 1}, {1});
const Value kW = floats({1, 3, 1}, {3, 5, 1});
const Value kR = floats({1, 3, 1}, {0, 0, 7});
const Value kB = floats({1, 6}, {0, 0, 0, 0, 0, 2});
const Value kH = floats({1, 1, 1}, {10});

}  // namespace

TEST_SUITE("hir GRU") {
  TEST_CASE("the reset gate applies to the state before the product") {
    // candidate = 1 + (5 * 10) * 7 + 2 = 353; h = (1 - 3) * 353 + 3 * 10
    check_inference_op(Gru{kLinear}, {kX, kW, kR, kB, std::nullopt, kH},
                       {floats({1, 1, 1, 1}, {-676}), floats({1, 1, 1}, {-676})});
  }

  TEST_CASE("the reset gate applies to the product and its bias") {
    // candidate = 1 + 5 * (10 * 7 + 2) = 361; h = (1 - 3) * 361 + 3 * 10
    check_inference_op(Gru{kLinear, Gru::Reset::after_product}, {kX, kW, kR, kB, std::nullopt, kH},
                       {floats({1, 1, 1, 1}, {-692}), floats({1, 1, 1}, {-692})});
  }

  TEST_CASE("a missing activation is refused") {
    CHECK_THROWS_WITH_AS(
        check_inference_op(Gru{{.functions = {kIdentity}}}, {kX, kW, kR}, {Value(), Value()}),
        doctest::Contains("1 activations given, 2 wanted"), Error);
  }
}
