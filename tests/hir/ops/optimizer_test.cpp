#include "strata/hir/ops/optimizer.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/hir_case.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

Value one(double value) { return Tensor::of<double>({1}, {value}); }
const Value kRate = Tensor::scalar(0.5);
const Value kFirst = Tensor::scalar<std::int64_t>(0);
const Value kThird = Tensor::scalar<std::int64_t>(2);

}  // namespace

TEST_SUITE("hir optimizers") {
  TEST_CASE("momentum takes the whole gradient in the first step, then a part") {
    const Momentum op{MomentumMode::standard, 0.5, 0.25, 1};
    // gradient 4 + 1 * 2 = 6; momentum 0.5 * 8 + 6 = 10, then 0.5 * 8 + 0.25 * 6 = 5.5
    check_inference_op(op, {kRate, kFirst, one(2), one(4), one(8)}, {one(-3), one(10)});
    check_inference_op(op, {kRate, kThird, one(2), one(4), one(8)}, {one(-0.75), one(5.5)});
  }

  TEST_CASE("nesterov's momentum looks ahead") {
    // 2 - 0.5 * (6 + 0.5 * 10)
    check_inference_op(Momentum{MomentumMode::nesterov, 0.5, 0.25, 1},
                       {kRate, kFirst, one(2), one(4), one(8)}, {one(-3.5), one(10)});
  }

  TEST_CASE("inputs and outputs of several variables come in groups") {
    check_inference_op(Momentum{MomentumMode::standard, 0.5, 0.25, 1},
                       {kRate, kFirst, one(2), one(0), one(4), one(1), one(8), one(0)},
                       {one(-3), one(-0.5), one(10), one(1)});
    CHECK_THROWS_WITH_AS(
        check_inference_op(Momentum{}, {kRate, kFirst, one(2), one(4)}, {Value(), Value()}),
        doctest::Contains("2 tensors are no 3 groups"), Error);
  }

  TEST_CASE("adagrad divides by the root of all squared gradients") {
    // rate 0.5 / (1 + 2 * 0.5) = 0.25; squares 16 + 9 = 25; 2 - 0.25 * 3 / (5 + 1)
    check_inference_op(Adagrad{0.5, 1, 0}, {kRate, kThird, one(2), one(3), one(16)},
                       {one(1.875), one(25)});
  }

  TEST_CASE("adam corrects its means after the first step") {
    // means 0.5 * 4 + 0.5 * 2 = 3 and 0.75 * 20 + 0.25 * 4 = 16
    const Adam op{0.5, 0.75, 1, 0, 0.5};
    // (1 - 0.5) * (2 - 0.5 * 3 / (4 + 1))
    check_inference_op(op, {kRate, kFirst, one(2), one(2), one(4), one(20)},
                       {one(0.85), one(3), one(16)});
    const double rate = 0.5 * std::sqrt(1 - 0.75 * 0.75) / (1 - 0.5 * 0.5);
    check_inference_op(op, {kRate, kThird, one(2), one(2), one(4), one(20)},
                       {one(0.5 * (2 - rate * 3 / 5)), one(3), one(16)});
  }
}
