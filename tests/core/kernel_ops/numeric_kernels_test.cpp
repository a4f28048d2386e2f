#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/kernel_ops/on_threads.h"
#include "kernel_ops/double_rows.h"
#include "ops/double_functions.h"
#include "strata/core/cpu.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/unary.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "support/lowered.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// How far apart two numbers are, in units in the last place of `expected`.
double units_apart(double got, double expected) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) return 0;
  const double unit = std::nextafter(std::fabs(expected), HUGE_VAL) - std::fabs(expected);
  return std::fabs(got - expected) / unit;
}

void check_function(double (*fast)(double), double (*expected)(double), double units) {
  for (double x = 1e-320; x < 1e308; x *= 1.37)
    for (const double v : {x, -x}) {
      CAPTURE(v);
      CHECK(units_apart(fast(v), expected(v)) <= units);
    }
  for (double x = -760; x < 760; x += 0.0731) {
    CAPTURE(x);
    CHECK(units_apart(fast(x), expected(x)) <= units);
  }
  for (const double v : {0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    CAPTURE(v);
    CHECK(units_apart(fast(v), expected(v)) == 0);
    if (expected(v) == 0) CHECK(std::signbit(fast(v)) == std::signbit(expected(v)));
  }
}

}  // namespace

TEST_SUITE("numeric kernels") {
  TEST_CASE("functions of doubles are those of the C library, within 2 units in the last place") {
    check_function(
        fast_exp, [](double x) { return std::exp(x); }, 2);
    check_function(
        fast_tanh, [](double x) { return std::tanh(x); }, 3);
    check_function(
        fast_floor, [](double x) { return std::floor(x); }, 0);
    check_function(
        fast_ceil, [](double x) { return std::ceil(x); }, 0);
    check_function(
        fast_round, [](double x) { return std::nearbyint(x); }, 0);
    for (const double half : {0.5, 1.5, 2.5, -0.5, -1.5, -0.3, 0x1p52 + 1, 0x1p51 + 0.5})
      CHECK(fast_round(half) == std::nearbyint(half));
  }

  TEST_CASE("e^x of doubles has the same bits on each instruction set") {
    std::vector<double> x{0.0, -0.0, HUGE_VAL, -HUGE_VAL, 1e-320, 709.7, -745.2};
    for (double v = -750; v < 720; v += 0.3719) x.push_back(v);
    for (const Isa isa : supported_isas()) {
      CAPTURE(static_cast<int>(isa));
      const IsaLimit limit(isa);
      for (const std::size_t n : {std::size_t{1}, std::size_t{3}, std::size_t{5}, x.size()}) {
        std::vector<double> y(n);
        double_row(UnaryOp::exp)(x.data(), y.data(), static_cast<std::int64_t>(n));
        for (std::size_t i = 0; i < n; ++i) CHECK(y[i] == fast_exp(x[i]));
      }
    }
  }

  TEST_CASE(
      "softmax of doubles, and hardmax of floats, along their last axis, with and without NaN") {
    Noise noise(2);
    for (const SoftmaxKind op :
         {SoftmaxKind::softmax, SoftmaxKind::log_softmax, SoftmaxKind::hardmax})
      for (const std::int64_t length : {1, 2, 63, 64, 65, 200})
        for (const std::int64_t rows : {std::int64_t{3}, 700 / length + 5})
          check_lowered(Softmax{op, {-1}}, {{noise.tensor(DatumType::f64, {rows, length})}},
                        "NumericSoftmaxKernel", {1e-12, 1e-12});
    const std::vector<float> rows{NAN, 3, 1, 2, 2, NAN, 5, 5, 4, -INFINITY, -INFINITY, -INFINITY};
    for (const Shape& shape : {Shape{4, 3}, Shape{2, 3, 2}})
      check_lowered(Softmax{SoftmaxKind::hardmax, {1}},
                    {{Tensor::vector<float>(rows).reshaped(shape)}}, "NumericSoftmaxKernel");
    // Long lanes, of which the greatest comes twice, or not at all.
    std::vector<float> longer(3 * 50, -1);
    longer[20] = longer[37] = longer[49] = longer[50 + 31] = 2;
    longer[19] = longer[50 + 48] = longer[100] = NAN;
    check_lowered(Softmax{SoftmaxKind::hardmax, {1}},
                  {{Tensor::vector<float>(longer).reshaped({3, 50})}}, "NumericSoftmaxKernel");
  }

  TEST_CASE("shrink of integers, for which there is no kernel, runs in an optimised model") {
    TypedModel model;
    const OutletId x = model.add_source("x", Fact::tensor(DatumType::i64, Shape{3}));
    model.add_output("y", model.wire_one("y", Activation{ActivationKind::shrink, 1, 1}, {x}));
    optimise(model);
    const Tensor y =
        run_model(model, ValueList{Tensor::of<std::int64_t>({3}, {-3, 0, 3})})[0].tensor();
    CHECK(y == Tensor::of<std::int64_t>({3}, {-2, 0, 2}));
  }

  TEST_CASE("quotients and remainders of the ends of integers") {
    for (const BinaryOp op : {BinaryOp::div, BinaryOp::mod})
      for (const DatumType type : {DatumType::i32, DatumType::i64}) {
        const std::int64_t least = type == DatumType::i32 ? INT32_MIN : INT64_MIN;
        const std::int64_t most = type == DatumType::i32 ? INT32_MAX : INT64_MAX;
        std::vector<std::int64_t> a, b;
        for (const std::int64_t x :
             {least, least + 1, most, most - 1, std::int64_t{-7}, std::int64_t{7}, std::int64_t{0}})
          for (const std::int64_t y : {least, most, most - 1, std::int64_t{-1}, std::int64_t{1},
                                       std::int64_t{-2}, std::int64_t{3}})
            a.push_back(x), b.push_back(y);
        check_lowered(Binary{op},
                      {{cast(Tensor::vector<std::int64_t>(a), type)},
                       {cast(Tensor::vector<std::int64_t>(b), type)}},
                      "NumericBinaryKernel");
      }
  }

  TEST_CASE("functions of numbers one by one are the same on any number of threads") {
    Noise noise(8);
    for (const DatumType type : {DatumType::f64, DatumType::f16})
      for (const UnaryOp op : {UnaryOp::log, UnaryOp::acosh, UnaryOp::sin})
        check_lowered_threads(Unary{op}, {{noise.tensor(type, {7, 9001})}});
  }

  TEST_CASE("products of doubles, with batches, vectors and transposed operands") {
    Reals reals;
    const auto doubles = [&](const Shape& shape) { return cast(reals(shape), DatumType::f64); };
    const auto check = [&](const MatMul& op, const Shape& a, const Shape& b) {
      CAPTURE(Span(a));
      CAPTURE(Span(b));
      const std::vector<KernelOperand> operands{{doubles(a)}, {doubles(b)}};
      check_lowered(op, operands, "DoubleMatMulKernel", {.relative = 1e-13, .absolute = 1e-13});
      check_lowered_threads(op, operands);
    };
    check({}, {70, 300}, {300, 130});
    check({}, {7}, {7});
    check({}, {7}, {2, 7, 5});
    check({}, {3, 1, 4, 7}, {2, 7, 5});
    check({}, {300, 0}, {0, 200});
    check({.transpose_a = true}, {90, 33}, {90, 400});
    check({.transpose_b = true}, {2, 500, 33}, {400, 33});
    check({.transpose_a = true, .transpose_b = true}, {9, 33}, {40, 9});
  }
}
