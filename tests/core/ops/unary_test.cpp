#include "strata/core/ops/unary.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Case {
  UnaryOp op;
  float x;
  float y;
};

}  // namespace

TEST_SUITE("unary") {
  TEST_CASE("each function of a float gives the value of its definition") {
    // Values of numpy and math of Python, to 7 digits.
    const Case cases[] = {
        {UnaryOp::abs, -1.5F, 1.5F},
        {UnaryOp::acos, 0.5F, 1.0471976F},
        {UnaryOp::acosh, 2, 1.3169579F},
        {UnaryOp::asin, 0.5F, 0.5235988F},
        {UnaryOp::asinh, 0.5F, 0.4812118F},
        {UnaryOp::atan, 1, 0.7853982F},
        {UnaryOp::atanh, 0.5F, 0.5493061F},
        {UnaryOp::ceil, -1.5F, -1},
        {UnaryOp::cos, 1, 0.5403023F},
        {UnaryOp::cosh, 1, 1.5430806F},
        {UnaryOp::erf, 0.5F, 0.5204999F},
        {UnaryOp::exp, 1, 2.7182818F},
        {UnaryOp::floor, -1.5F, -2},
        {UnaryOp::gelu, 1, 0.8413447F},
        {UnaryOp::gelu_tanh, 1, 0.8411920F},
        {UnaryOp::hard_swish, 1, 0.6666667F},
        {UnaryOp::hard_swish, -4, 0},
        {UnaryOp::log, 2, 0.6931472F},
        {UnaryOp::mish, 1, 0.8650984F},
        {UnaryOp::neg, 2, -2},
        {UnaryOp::reciprocal, 4, 0.25F},
        {UnaryOp::relu, -2, 0},
        {UnaryOp::relu, kNan, kNan},
        {UnaryOp::round, 2.5F, 2},
        {UnaryOp::round, -1.5F, -2},
        {UnaryOp::rsqrt, 4, 0.5F},
        {UnaryOp::sigmoid, 1, 0.7310586F},
        {UnaryOp::sigmoid, -kInf, 0},
        {UnaryOp::sign, -3, -1},
        {UnaryOp::sign, kNan, kNan},
        {UnaryOp::silu, 1, 0.7310586F},
        {UnaryOp::sin, 1, 0.8414710F},
        {UnaryOp::sinh, 1, 1.1752012F},
        {UnaryOp::softplus, 1, 1.3132617F},
        {UnaryOp::softplus, 1000, 1000},
        {UnaryOp::softsign, -3, -0.75F},
        {UnaryOp::sqrt, 2, 1.4142136F},
        {UnaryOp::square, -3, 9},
        {UnaryOp::tan, 1, 1.5574077F},
        {UnaryOp::tanh, 1, 0.7615942F},
    };
    for (const Case& c : cases) {
      INFO(Unary{c.op}.display_name(), " of ", c.x);
      check_op(Unary{c.op}, {Tensor::of<float>({1}, {c.x})}, {Tensor::of<float>({1}, {c.y})});
    }
  }

  TEST_CASE("integers wrap in their own width") {
    const Tensor least = Tensor::of<std::int8_t>({2}, {-128, 3});
    check_op(Unary{UnaryOp::neg}, {least}, {Tensor::of<std::int8_t>({2}, {-128, -3})});
    check_op(Unary{UnaryOp::abs}, {least}, {Tensor::of<std::int8_t>({2}, {-128, 3})});
    check_op(Unary{UnaryOp::bitwise_not}, {Tensor::of<std::uint8_t>({1}, {5})},
             {Tensor::of<std::uint8_t>({1}, {250})});
    check_op(Unary{UnaryOp::sign}, {Tensor::of<std::uint64_t>({2}, {0, UINT64_MAX})},
             {Tensor::of<std::uint64_t>({2}, {0, 1})});
  }

  TEST_CASE("tests of floats give bools") {
    const Tensor x = Tensor::of<float>({3}, {1, kNan, -kInf});
    check_op(Unary{UnaryOp::is_nan}, {x}, {Tensor::of<bool>({3}, {false, true, false})});
    check_op(Unary{UnaryOp::is_inf}, {x}, {Tensor::of<bool>({3}, {false, false, true})});
  }

  TEST_CASE("half floats are rounded once") {
    const Tensor x = Tensor::of<f16>({1}, {f16(2.0F)});
    check_op(Unary{UnaryOp::sqrt}, {x}, {Tensor::of<f16>({1}, {f16(1.4140625F)})});
  }

  TEST_CASE("symbolic sizes are negated") {
    const Fact size = Fact::of(dims_tensor(std::vector<Dim>{Dim::symbol("N")}));
    CHECK(facts_of(Unary{UnaryOp::neg}, {size})[0].dims()->front() == -Dim::symbol("N"));
  }

  TEST_CASE("not of not goes away, as does what changes nothing") {
    TypedModel model;
    const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{2}));
    const OutletId once = model.wire_one("once", Unary{UnaryOp::neg}, {x});
    const OutletId twice = model.wire_one("twice", Unary{UnaryOp::neg}, {once});
    model.add_output("y", twice);
    const NodeView node{model, twice.node};
    Rewrite rewrite = node.op().declutter(node);
    REQUIRE(rewrite.has_value());
    rewrite->apply(model);
    CHECK((model.outputs()[0].outlet == x));
  }

  TEST_CASE("a row is shown by its own name") {
    CHECK(Unary{UnaryOp::hard_swish}.display_name() == "HardSwish");
    CHECK(Unary{UnaryOp::truth_not}.display_name() == "Not");
  }

  TEST_CASE("unary_c1: two inputs") {
    const Fact x = Fact::tensor(DatumType::f32, Shape{1});
    CHECK_THROWS_WITH_AS(facts_of(Unary{}, {x, x}), doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("unary_c2: a type the function is not defined on") {
    CHECK_THROWS_WITH_AS(facts_of(Unary{UnaryOp::tanh}, {Fact::tensor(DatumType::i32, Shape{1})}),
                         doctest::Contains("(C2)"), Error);
    CHECK_THROWS_WITH_AS(
        facts_of(Unary{UnaryOp::truth_not}, {Fact::tensor(DatumType::f32, Shape{1})}),
        doctest::Contains("(C2)"), Error);
  }
}
