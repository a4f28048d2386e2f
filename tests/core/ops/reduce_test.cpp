#include "strata/core/ops/reduce.h"

#include <doctest/doctest.h>

#include <limits>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor axes(std::initializer_list<std::int64_t> values) {
  return Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

}  // namespace

TEST_SUITE("reduce") {
  TEST_CASE("each function gives the value of its definition, also of nothing") {
    struct Case {
      Reduction op;
      float of_some;  // of 1, -2, 3
      float of_none;
    };
    const Case cases[] = {
        {Reduction::l1, 6, 0},
        {Reduction::l2, 3.7416574F, 0},
        {Reduction::log_sum, 0.6931472F, -kInf},
        {Reduction::log_sum_exp, 3.1328452F, -kInf},
        {Reduction::max, 3, -kInf},
        {Reduction::mean, 2.0F / 3, kNan},
        {Reduction::min, -2, kInf},
        {Reduction::prod, -6, 1},
        {Reduction::sum, 2, 0},
        {Reduction::sum_square, 14, 0},
    };
    for (const Case& c : cases) {
      const Reduce op{c.op, false};
      INFO(op.display_name());
      check_op(op, {Tensor::of<float>({3}, {1, -2, 3})}, {Tensor::scalar(c.of_some)});
      check_op(op, {Tensor::of<float>({2, 0}, {}), axes({1})},
               {Tensor::of<float>({2}, {c.of_none, c.of_none})});
    }
  }

  TEST_CASE("log_sum_exp does not overflow") {
    check_op(Reduce{Reduction::log_sum_exp, false}, {Tensor::of<float>({2}, {1000, 1000})},
             {Tensor::scalar(1000.6931F)});
  }

  TEST_CASE("axes are kept or dropped") {
    const Tensor x = Tensor::of<std::int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
    check_op(Reduce{Reduction::sum, true}, {x, axes({0})},
             {Tensor::of<std::int32_t>({1, 3}, {5, 7, 9})});
    check_op(Reduce{Reduction::sum, false}, {x, axes({-1})},
             {Tensor::of<std::int32_t>({2}, {6, 15})});
    check_op(Reduce{Reduction::sum, true}, {x}, {Tensor::of<std::int32_t>({1, 1}, {21})});
    check_op(Reduce{Reduction::sum, false}, {x, axes({1, 0})}, {Tensor::scalar(21)});
  }

  TEST_CASE("no axes mean all, or none") {
    const Tensor x = Tensor::of<float>({2}, {-2, 3});
    check_op(Reduce{Reduction::sum_square, false}, {x, axes({})}, {Tensor::scalar(13.0F)});
    check_op(Reduce{Reduction::sum_square, false, NoAxes::means_none}, {x, axes({})},
             {Tensor::of<float>({2}, {4, 9})});
  }

  TEST_CASE("integers and bools stay in their type") {
    check_op(Reduce{Reduction::mean, false}, {Tensor::of<std::int8_t>({2}, {-3, 0})},
             {Tensor::scalar<std::int8_t>(-1)});
    check_op(Reduce{Reduction::sum, false}, {Tensor::of<std::uint8_t>({2}, {200, 100})},
             {Tensor::scalar<std::uint8_t>(44)});
    check_op(Reduce{Reduction::l2, false}, {Tensor::of<std::int32_t>({2}, {3, 4})},
             {Tensor::scalar(5)});
    check_op(Reduce{Reduction::max, false}, {Tensor::of<std::int16_t>({0}, {})},
             {Tensor::scalar<std::int16_t>(-32768)});
    check_op(Reduce{Reduction::max, false}, {Tensor::of<bool>({2}, {false, true})},
             {Tensor::scalar(true)});
    check_op(Reduce{Reduction::min, false}, {Tensor::of<bool>({0}, {})}, {Tensor::scalar(true)});
  }

  TEST_CASE("symbolic sizes are multiplied") {
    const Fact sizes = Fact::of(dims_tensor(std::vector<Dim>{Dim::symbol("N"), 3}));
    CHECK(facts_of(Reduce{Reduction::prod, false}, {sizes})[0].dims() ==
          std::vector<Dim>{Dim::symbol("N") * 3});
  }

  TEST_CASE("unknown axes keep the rank, or lessen it by their number") {
    const Fact x = Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}}),
               one = Fact::tensor(DatumType::i64, Shape{1});
    CHECK(facts_of(Reduce{Reduction::sum, true}, {x, one})[0].shape.rank() == 2);
    CHECK(facts_of(Reduce{Reduction::sum, false}, {x, one})[0].shape.rank() == 1);
  }

  TEST_CASE("reduce_c1: three inputs") {
    const Fact x = Fact::tensor(DatumType::f32, Shape{1});
    CHECK_THROWS_WITH_AS(facts_of(Reduce{}, {x, x, x}), doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("reduce_c2: a sum of bools") {
    CHECK_THROWS_WITH_AS(facts_of(Reduce{}, {Fact::tensor(DatumType::boolean, Shape{1})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("reduce_c3: axes that are floats, or no vector") {
    const Fact x = Fact::tensor(DatumType::f32, Shape{1}),
               scalar = Fact::tensor(DatumType::i64, Shape{});
    CHECK_THROWS_WITH_AS(facts_of(Reduce{}, {x, x}), doctest::Contains("(C3)"), Error);
    CHECK_THROWS_WITH_AS(facts_of(Reduce{}, {x, scalar}), doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("reduce_c4: an axis outside the rank, or given twice") {
    const Fact x = Fact::tensor(DatumType::f32, Shape{1, 1});
    CHECK_THROWS_WITH_AS(facts_of(Reduce{}, {x, Fact::of(axes({2}))}),
                         doctest::Contains("axis 2 is outside rank 2"), Error);
    CHECK_THROWS_WITH_AS(facts_of(Reduce{}, {x, Fact::of(axes({1, -1}))}),
                         doctest::Contains("axis -1 is given twice"), Error);
  }
}
