#include "strata/hir/ops/quantized_op.h"

#include <doctest/doctest.h>

#include "strata/core/ops/select.h"
#include "strata/hir/ops/binary.h"
#include "strata/hir/ops/concat.h"
#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir QuantizedOp") {
  TEST_CASE("an op on what operands stand for") {
    // 2 (5 - 3) + 0.5 (8 - 2) is 7, in units of 0.25 and from 10 on 38; 2 (100 - 3) is too much.
    check_inference_op(QuantizedOp{InferenceOp(hir::Binary{BinaryOp::add, std::nullopt})},
                       {bytes({2}, {5, 100}), floats({}, {2}), bytes({}, {3}), bytes({2}, {8, 2}),
                        floats({1}, {0.5}), bytes({1}, {2}), floats({}, {0.25}), bytes({}, {10})},
                       {bytes({2}, {38, 255})});
  }

  TEST_CASE("zero points may be left out") {
    check_inference_op(QuantizedOp{InferenceOp(hir::Binary{BinaryOp::mul, std::nullopt})},
                       {bytes({1}, {5}), floats({}, {2}), std::nullopt, bytes({1}, {8}),
                        floats({}, {0.5}), std::nullopt, floats({}, {1}), std::nullopt},
                       {bytes({1}, {40})});
  }

  TEST_CASE("plain inputs come first") {
    check_inference_op(QuantizedOp{InferenceOp(Direct{Select{}}), 1},
                       {Value(Tensor::of<bool>({2}, {true, false})), bytes({2}, {4, 5}),
                        floats({}, {2}), bytes({}, {0}), bytes({2}, {6, 7}), floats({}, {3}),
                        bytes({}, {1}), floats({}, {1}), bytes({}, {0})},
                       {bytes({2}, {8, 18})});
  }

  TEST_CASE("the scale of the result may come first") {
    check_inference_op(QuantizedOp{InferenceOp(hir::Concat{0}), 0, ResultScale::first},
                       {floats({}, {1}), bytes({}, {1}), bytes({1}, {4}), floats({}, {2}),
                        bytes({}, {0}), bytes({1}, {6}), floats({}, {3}), bytes({}, {1})},
                       {bytes({2}, {9, 16})});
  }
}
