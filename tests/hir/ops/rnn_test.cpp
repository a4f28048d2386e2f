#include "strata/hir/ops/rnn.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

constexpr GateFunction kIdentity{GateFunctionKind::affine, 1, 0};

Value steps(std::initializer_list<float> values) {
  return floats({static_cast<std::int64_t>(values.size()), 1, 1}, values);
}

}  // namespace

TEST_SUITE("hir RNN") {
  TEST_CASE("each step adds what the input, the state and both biases give") {
    // h = 2 x + 3 h + (1 + 4), from 10: 2 + 30 + 5 = 37, then 4 + 111 + 5 = 120
    check_inference_op(Rnn{{.functions = {kIdentity}}},
                       {steps({1, 2}), floats({1, 1, 1}, {2}), floats({1, 1, 1}, {3}),
                        floats({1, 2}, {1, 4}), std::nullopt, floats({1, 1, 1}, {10})},
                       {floats({2, 1, 1, 1}, {37, 120}), floats({1, 1, 1}, {120})});
  }

  TEST_CASE("the state begins at 0, and the reverse direction at the end") {
    // h = x + 10 h over 1, 2, 3: forward 1, 12, 123; from the end 3, 32, 321
    check_inference_op(
        Rnn{{.direction = SequenceDirection::bidirectional, .functions = {kIdentity, kIdentity}}},
        {steps({1, 2, 3}), floats({2, 1, 1}, {1, 1}), floats({2, 1, 1}, {10, 10})},
        {floats({3, 2, 1, 1}, {1, 321, 12, 32, 123, 3}), floats({2, 1, 1}, {123, 321})});
  }

  TEST_CASE("past the end of a shorter sequence the state stays and the output is 0") {
    // Sequences 1, 2 (of 3 steps) and 4, 5, 6.
    const Value x = floats({3, 2, 1}, {1, 4, 2, 5, 9, 6});
    const Value lengths = Tensor::of<std::int32_t>({2}, {2, 3});
    const Value w = floats({2, 1, 1}, {1, 1}), r = floats({2, 1, 1}, {10, 10});
    const RecurrentLayer layer{.direction = SequenceDirection::bidirectional,
                               .functions = {kIdentity, kIdentity}};
    check_inference_op(Rnn{layer}, {x, w, r, std::nullopt, lengths},
                       {floats({3, 2, 2, 1}, {1, 4, 21, 654, 12, 45, 2, 65, 0, 456, 0, 6}),
                        floats({2, 2, 1}, {12, 456, 21, 654})});
  }

  TEST_CASE("with the batch first, the steps are axis 1") {
    const RecurrentLayer layer{.layout = SequenceLayout::batch_first, .functions = {kIdentity}};
    check_inference_op(
        Rnn{layer},
        {floats({2, 2, 1}, {1, 2, 3, 4}), floats({1, 1, 1}, {1}), floats({1, 1, 1}, {10})},
        {floats({2, 2, 1, 1}, {1, 12, 3, 34}), floats({2, 1, 1}, {12, 34})});
  }

  TEST_CASE("the clip bounds what the function is applied to") {
    const RecurrentLayer layer{.functions = {{GateFunctionKind::affine, 2, 1}}, .clip = 3.0F};
    check_inference_op(Rnn{layer}, {steps({-9, 9}), floats({1, 1, 1}, {1}), floats({1, 1, 1}, {0})},
                       {floats({2, 1, 1, 1}, {-5, 7}), floats({1, 1, 1}, {7})});
  }

  TEST_CASE("weights that do not fit the hidden size are refused") {
    const Rnn op{{.functions = {kIdentity}, .hidden_size = 2}};
    CHECK_THROWS_WITH_AS(
        check_inference_op(op, {steps({1}), floats({1, 1, 1}, {1}), floats({1, 1, 1}, {1})},
                           {Value()}),
        doctest::Contains("size 1 is not 2"), Error);
  }

  TEST_CASE("activations are found in any case of letters") {
    REQUIRE(find_gate_function("HardSigmoid") != nullptr);
    CHECK(find_gate_function("hardsigmoid") == find_gate_function("HARDSIGMOID"));
    CHECK(find_gate_function("hard_sigmoid") == nullptr);
  }
}
