#include <doctest/doctest.h>

#include "core/kernel_ops/model_writer.h"
#include "support/optimised.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// Scalar functions of one wire x f32[2,5], written short.
struct Formula : ModelWriter {
  OutletId x = model.add_source("x", float_fact(Shape{2, 5}));

  OutletId mul(OutletId a, OutletId b) { return binary(BinaryOp::mul, a, b); }
  OutletId mul(OutletId a, float b) { return binary(BinaryOp::mul, a, number(b)); }
  OutletId div(OutletId a, float b) { return binary(BinaryOp::div, a, number(b)); }
  OutletId add(OutletId a, OutletId b) { return binary(BinaryOp::add, a, b); }
  OutletId add(OutletId a, float b) { return binary(BinaryOp::add, a, number(b)); }
  OutletId pow(OutletId a, float b) { return binary(BinaryOp::pow, a, number(b)); }
  OutletId erf(OutletId a) { return unary(UnaryOp::erf, a); }
  OutletId tanh(OutletId a) { return unary(UnaryOp::tanh, a); }
};

/// Ends the formula with y and optimises it. Returns how many gelus were found.
std::size_t found(Formula& formula, OutletId y) {
  formula.model.add_output("y", y);
  const Tensor x = Tensor::of<float>({2, 5}, {-6, -2.5, -1, -0.5, -0.01F, 0, 0.3F, 1, 2, 7});
  return optimise_and_compare(formula.model, ValueList{x}, "find_gelu", 1e-6);
}

constexpr float kRoot2 = 1.41421356F, kRootHalf = 0.707106781F, kSlope = 0.797884561F;

}  // namespace

TEST_SUITE("gelu written out") {
  TEST_CASE("with erf, by any order of its factors") {
    const std::vector<OutletId (*)(Formula&)> ways = {
        [](Formula& f) { return f.mul(f.mul(f.x, f.add(f.erf(f.div(f.x, kRoot2)), 1)), 0.5); },
        [](Formula& f) { return f.mul(f.mul(f.x, 0.5), f.add(f.erf(f.mul(f.x, kRootHalf)), 1)); },
        [](Formula& f) {
          return f.mul(f.mul(f.add(f.number(1), f.erf(f.div(f.x, kRoot2))), 0.5), f.x);
        },
        [](Formula& f) { return f.div(f.mul(f.x, f.add(f.erf(f.div(f.x, kRoot2)), 1)), 2); },
    };
    for (const auto& way : ways) {
      Formula formula;
      CHECK(found(formula, way(formula)) == 1);
    }
  }

  TEST_CASE("with tanh, however the polynomial is written") {
    const auto gelu = [](Formula& f, OutletId inside) {
      return f.mul(f.mul(f.x, 0.5), f.add(f.tanh(inside), 1));
    };
    const std::vector<OutletId (*)(Formula&)> ways = {
        [](Formula& f) { return f.mul(f.add(f.x, f.mul(f.pow(f.x, 3), 0.044715F)), kSlope); },
        [](Formula& f) {
          return f.mul(f.mul(f.x, kSlope), f.add(f.mul(f.mul(f.x, f.x), 0.044715F), 1));
        },
        [](Formula& f) {
          return f.mul(f.add(f.mul(f.mul(f.unary(UnaryOp::square, f.x), f.x), 0.044715F), f.x),
                       kSlope);
        },
    };
    for (const auto& way : ways) {
      Formula formula;
      CHECK(found(formula, gelu(formula, way(formula))) == 1);
    }
  }

  TEST_CASE("formulas that are not quite a gelu stay") {
    const std::vector<OutletId (*)(Formula&)> others = {
        [](Formula& f) { return f.mul(f.x, f.add(f.erf(f.div(f.x, kRoot2)), 1)); },
        [](Formula& f) { return f.mul(f.mul(f.x, f.add(f.erf(f.div(f.x, 1.4F)), 1)), 0.5); },
        [](Formula& f) { return f.mul(f.mul(f.x, f.add(f.erf(f.div(f.x, kRoot2)), 2)), 0.5); },
        [](Formula& f) { return f.mul(f.mul(f.x, f.add(f.tanh(f.mul(f.x, kSlope)), 1)), 0.5); },
        [](Formula& f) {
          return f.mul(
              f.mul(f.x,
                    f.add(f.tanh(f.mul(f.add(f.x, f.mul(f.pow(f.x, 2), 0.044715F)), kSlope)), 1)),
              0.5);
        },
        [](Formula& f) {
          const OutletId other = f.unary(UnaryOp::neg, f.x);
          return f.mul(f.mul(other, f.add(f.erf(f.div(f.x, kRoot2)), 1)), 0.5);
        },
    };
    for (const auto& other : others) {
      Formula formula;
      CHECK(found(formula, other(formula)) == 0);
    }
  }

  TEST_CASE("a gate that something else reads is kept, and so is the formula") {
    Formula f;
    const OutletId gate = f.add(f.erf(f.div(f.x, kRoot2)), 1);
    f.model.add_output("gate", gate);
    CHECK(found(f, f.mul(f.mul(f.x, gate), 0.5)) == 0);
  }
}
