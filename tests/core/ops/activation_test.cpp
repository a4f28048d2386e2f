#include "strata/core/ops/activation.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

struct Case {
  Activation op;
  float x;
  float y;
};

}  // namespace

TEST_SUITE("activation") {
  TEST_CASE("hard sigmoid of what makes its line no number is none") {
    const float infinity = std::numeric_limits<float>::infinity();
    for (const auto& [alpha, x] : {std::pair{0.0F, infinity}, {infinity, 0.0F}}) {
      const ValueList y = TypedOp(Activation{ActivationKind::hard_sigmoid, alpha, 0.5F})
                              .eval(ValueList{Tensor::of<float>({1}, {x})});
      CHECK(std::isnan(y[0].tensor().as<float>()[0]));
    }
  }

  TEST_CASE("each function gives the value of its definition") {
    // exp(-1) = 0.3678794
    const Case cases[] = {
        {{ActivationKind::celu, 2}, -2, -1.2642411F},
        {{ActivationKind::celu, 2}, 3, 3},
        {{ActivationKind::elu, 2}, -1, -1.2642411F},
        {{ActivationKind::hard_sigmoid, 0.5F, 0.6F}, 0, 0.6F},
        {{ActivationKind::hard_sigmoid, 0.5F, 0.6F}, 1, 1},
        {{ActivationKind::leaky_relu, 0.1F}, -2, -0.2F},
        {{ActivationKind::selu, 2, 3}, -1, -3.7927234F},
        {{ActivationKind::selu, 2, 3}, 1, 3},
        {{ActivationKind::shrink, 1.5F, 0.5F}, -2, -1.5F},
        {{ActivationKind::shrink, 1.5F, 0.5F}, 1.5F, 0},
        {{ActivationKind::shrink, 1.5F, 0.5F}, 2, 1.5F},
        {{ActivationKind::swish, 2}, 1, 0.8807971F},
        {{ActivationKind::thresholded_relu, 2}, 2, 0},
        {{ActivationKind::thresholded_relu, 2}, 2.5F, 2.5F},
    };
    for (const Case& c : cases) {
      INFO(c.op.display_name(), " of ", c.x);
      check_op(c.op, {Tensor::of<float>({1}, {c.x})}, {Tensor::of<float>({1}, {c.y})});
    }
  }

  TEST_CASE("shrink takes integers") {
    check_op(Activation{ActivationKind::shrink, 1, 1}, {Tensor::of<std::int32_t>({3}, {-3, 1, 5})},
             {Tensor::of<std::int32_t>({3}, {-2, 0, 4})});
  }

  TEST_CASE("activation_c1: no input") {
    CHECK_THROWS_WITH_AS(facts_of(Activation{}, {}), doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("activation_c2: integers, but for shrink") {
    CHECK_THROWS_WITH_AS(facts_of(Activation{}, {Fact::tensor(DatumType::i32, Shape{1})}),
                         doctest::Contains("(C2)"), Error);
  }
}
