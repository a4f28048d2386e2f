#include "strata/hir/ops/gradient.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unary.h"
#include "support/hir_case.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

/// The gradient of one op by all of its inputs.
hir::Gradient gradient_of(const TypedOp& op, std::size_t inputs, std::vector<Value> more = {}) {
  auto body = std::make_shared<InferenceModel>();
  OutletIds wires;
  for (std::size_t i = 0; i < inputs; ++i) wires.push_back(body->add_source(cat("x", i), {}));
  for (std::size_t i = 0; i < more.size(); ++i)
    wires.push_back(body->add_const(cat("c", i), more[i]));
  const std::uint32_t id = body->add_node("y", Direct{op}, wires, std::vector<InferenceFact>(1));
  body->add_output("y", {id, 0});
  return {body, inputs, inputs};
}

Value vector(std::initializer_list<double> values) {
  return Tensor::of<double>({static_cast<std::int64_t>(values.size())}, values);
}

void check_unary(UnaryOp op, double x, double expected) {
  INFO(Unary{op}.display_name(), " at ", x);
  check_inference_op(gradient_of(Unary{op}, 1), {vector({x})}, {vector({expected})});
}

void check_binary(BinaryOp op, std::array<double, 2> at, std::array<double, 2> expected) {
  INFO(strata::Binary{op}.display_name());
  check_inference_op(gradient_of(strata::Binary{op}, 2), {vector({at[0]}), vector({at[1]})},
                     {vector({expected[0]}), vector({expected[1]})});
}

}  // namespace

TEST_SUITE("hir Gradient") {
  TEST_CASE("functions of one number have their derivatives") {
    check_unary(UnaryOp::abs, -2, -1);
    check_unary(UnaryOp::cos, 0.5, -std::sin(0.5));
    check_unary(UnaryOp::cosh, 0.5, std::sinh(0.5));
    check_unary(UnaryOp::erf, 0.5, 2 / std::sqrt(std::numbers::pi) * std::exp(-0.25));
    check_unary(UnaryOp::exp, 0.5, std::exp(0.5));
    check_unary(UnaryOp::floor, 0.5, 0);
    check_unary(UnaryOp::log, 4, 0.25);
    check_unary(UnaryOp::neg, 4, -1);
    check_unary(UnaryOp::reciprocal, 2, -0.25);
    check_unary(UnaryOp::relu, 2, 1);
    check_unary(UnaryOp::relu, -2, 0);
    check_unary(UnaryOp::rsqrt, 4, -1. / 16);
    check_unary(UnaryOp::sigmoid, 0, 0.25);
    check_unary(UnaryOp::sin, 0.5, std::cos(0.5));
    check_unary(UnaryOp::sinh, 0.5, std::cosh(0.5));
    check_unary(UnaryOp::softplus, 0, 0.5);
    check_unary(UnaryOp::sqrt, 4, 0.25);
    check_unary(UnaryOp::square, 3, 6);
    check_unary(UnaryOp::tan, 0.5, 1 / (std::cos(0.5) * std::cos(0.5)));
    check_unary(UnaryOp::tanh, 0.5, 1 / (std::cosh(0.5) * std::cosh(0.5)));
  }

  TEST_CASE("functions of two numbers have a derivative by each") {
    check_binary(BinaryOp::add, {3, 2}, {1, 1});
    check_binary(BinaryOp::sub, {3, 2}, {1, -1});
    check_binary(BinaryOp::mul, {3, 2}, {2, 3});
    check_binary(BinaryOp::div, {3, 2}, {0.5, -0.75});
    check_binary(BinaryOp::pow, {3, 2}, {6, 9 * std::log(3)});
    check_binary(BinaryOp::max, {3, 2}, {1, 0});
    check_binary(BinaryOp::max, {2, 2}, {1, 0});
    check_binary(BinaryOp::min, {3, 2}, {0, 1});
  }

  TEST_CASE("an operand that was stretched has the sum") {
    const Value row = vector({10, 20}), rows = Tensor::of<double>({2, 2}, {1, 2, 3, 4});
    check_inference_op(gradient_of(strata::Binary{BinaryOp::mul}, 2), {rows, row},
                       {Tensor::of<double>({2, 2}, {10, 20, 10, 20}), vector({4, 6})});
    const Value column = Tensor::of<double>({2, 1}, {10, 20});
    check_inference_op(
        gradient_of(strata::Binary{BinaryOp::mul}, 2), {rows, column},
        {Tensor::of<double>({2, 2}, {10, 10, 20, 20}), Tensor::of<double>({2, 1}, {3, 7})});
    check_inference_op(gradient_of(Expand{}, 1, {Tensor::of<std::int64_t>({2}, {3, 2})}), {row},
                       {vector({3, 3})});
  }

  TEST_CASE("the gradient of a product of matrices is a product with the other one transposed") {
    // Sums of the rows of b for each row of a, sums of the columns of a for each column of b.
    const Tensor a = Tensor::of<double>({1, 2}, {1, 2}),
                 b = Tensor::of<double>({2, 2}, {3, 4, 5, 6});
    check_inference_op(
        gradient_of(MatMul{}, 2), {Value(a), Value(b)},
        {Tensor::of<double>({1, 2}, {7, 11}), Tensor::of<double>({2, 2}, {1, 1, 2, 2})});
    check_inference_op(
        gradient_of(MatMul{.transpose_b = true}, 2), {Value(a), Value(b)},
        {Tensor::of<double>({1, 2}, {8, 10}), Tensor::of<double>({2, 2}, {1, 2, 1, 2})});
    const Tensor column = Tensor::of<double>({2, 1}, {1, 2});
    check_inference_op(
        gradient_of(MatMul{.transpose_a = true}, 2), {Value(column), Value(b)},
        {Tensor::of<double>({2, 1}, {7, 11}), Tensor::of<double>({2, 2}, {1, 1, 2, 2})});
    check_inference_op(
        gradient_of(MatMul{true, true}, 2), {Value(column), Value(b)},
        {Tensor::of<double>({2, 1}, {8, 10}), Tensor::of<double>({2, 2}, {1, 2, 1, 2})});
  }

  TEST_CASE("ops that move and join elements") {
    const Value x = Tensor::of<double>({1, 2}, {3, 4});
    const Value ones = Tensor::of<double>({1, 2}, {1, 1});
    check_inference_op(gradient_of(Transpose{{1, 0}}, 1), {x}, {ones});
    check_inference_op(gradient_of(Reshape{}, 1, {Tensor::of<std::int64_t>({1}, {2})}), {x},
                       {ones});
    check_inference_op(gradient_of(Cast{DatumType::f32}, 1), {x}, {ones});
    check_inference_op(gradient_of(strata::Reduce{Reduction::sum, false}, 1), {x}, {ones});
    check_inference_op(gradient_of(strata::Reduce{Reduction::mean, false}, 1), {x},
                       {Tensor::of<double>({1, 2}, {0.5, 0.5})});
  }

  TEST_CASE("an op without a rule is unsupported, and named") {
    const auto check = [] {
      check_inference_op(gradient_of(strata::Reduce{Reduction::prod}, 1), {vector({1})},
                         {vector({1})});
    };
    CHECK_THROWS_WITH_AS(check(), doctest::Contains("the gradient of ReduceProd is not supported"),
                         Error);
  }
}
