#include "strata/hir/ops/dynamic_quantize_lstm.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir DynamicQuantizeLSTM") {
  TEST_CASE("a step from nothing, with the weights that bytes stand for") {
    // Gates i, o, f, c of one number 2: half of (1, 3, 0, 2) less 1.
    DynamicQuantizeLstm op;
    op.lstm.layer.hidden_size = 1;
    op.lstm.layer.functions = {
        {GateFunctionKind::sigmoid}, {GateFunctionKind::tanh}, {GateFunctionKind::tanh}};
    const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
    const double c = sigmoid(0) * std::tanh(1.0), h = sigmoid(2) * std::tanh(c);
    const Value step = floats({1, 1, 1}, {static_cast<float>(h)});
    check_inference_op(
        op,
        {floats({1, 1, 1}, {2}), bytes({1, 1, 4}, {1, 3, 0, 2}), bytes({1, 1, 4}, {9, 9, 9, 9}),
         std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt, floats({1}, {0.5}),
         bytes({1}, {1}), floats({1, 4}, {1, 1, 1, 1}), bytes({1, 4}, {1, 2, 3, 4})},
        {floats({1, 1, 1, 1}, {static_cast<float>(h)}), step,
         floats({1, 1, 1}, {static_cast<float>(c)})});
  }
}
