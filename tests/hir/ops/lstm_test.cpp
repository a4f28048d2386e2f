#include "strata/hir/ops/lstm.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

constexpr GateFunction kIdentity{GateFunctionKind::affine, 1, 0};
const RecurrentLayer kLinear{.functions = {kIdentity, kIdentity, kIdentity}};

/// Of one unit: the gates are i = 2 x, o = 3 x + h, f = 4, c = 5 x.
const Value kW = floats({1, 4, 1}, {2, 3, 0, 5});
const Value kR = floats({1, 4, 1}, {0, 1, 0, 0});
const Value kB = floats({1, 8}, {0, 0, 1, 0, 0, 0, 3, 0});
const Value kH = floats({1, 1, 1}, {1});
const Value kC = floats({1, 1, 1}, {2});

}  // namespace

TEST_SUITE("hir LSTM") {
  TEST_CASE("gates come in the order input, output, forget, candidate") {
    // x = 1: i 2, o 3 + 1, f 4, candidate 5; c = 4 * 2 + 2 * 5 = 18; h = 4 * 18
    check_inference_op(
        Lstm{kLinear}, {floats({1, 1, 1}, {1}), kW, kR, kB, std::nullopt, kH, kC},
        {floats({1, 1, 1, 1}, {72}), floats({1, 1, 1}, {72}), floats({1, 1, 1}, {18})});
  }

  TEST_CASE("a coupled forget gate is 1 less the input gate") {
    // f = 1 - 2; c = -2 + 10 = 8; h = 4 * 8
    check_inference_op(
        Lstm{kLinear, Lstm::ForgetGate::coupled},
        {floats({1, 1, 1}, {1}), kW, kR, kB, std::nullopt, kH, kC},
        {floats({1, 1, 1, 1}, {32}), floats({1, 1, 1}, {32}), floats({1, 1, 1}, {8})});
  }

  TEST_CASE(
      "peepholes show the old cell to the gates in and out of it, and the new one to the output "
      "gate") {
    // P is 1, 10, 2 for i, o, f: i = 2 + 2, f = 4 + 4, c = 8 * 2 + 4 * 5 = 36, o = 4 + 360, h = 364
    // * 36
    check_inference_op(
        Lstm{kLinear},
        {floats({1, 1, 1}, {1}), kW, kR, kB, std::nullopt, kH, kC, floats({1, 3}, {1, 10, 2})},
        {floats({1, 1, 1, 1}, {13104}), floats({1, 1, 1}, {13104}), floats({1, 1, 1}, {36})});
  }
}
