#include "strata/core/ops/matmul.h"

#include <doctest/doctest.h>

#include "support/f32_fact.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("matmul") {
  const Tensor a = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = Tensor::of<float>({3, 2}, {1, 0, 0, 1, 1, 1});
  const Tensor product = Tensor::of<float>({2, 2}, {4, 5, 10, 11});

  TEST_CASE("matmul multiplies rows by columns") { check_op(MatMul{}, {a, b}, {product}); }

  TEST_CASE("matmul takes transposed operands") {
    check_op(MatMul{.transpose_a = true}, {Tensor::of<float>({3, 2}, {1, 4, 2, 5, 3, 6}), b},
             {product});
    check_op(MatMul{.transpose_b = true}, {a, Tensor::of<float>({2, 3}, {1, 0, 1, 0, 1, 1})},
             {product});
    check_op(MatMul{.may_round_a = true}, {a, b}, {product});
  }

  TEST_CASE("matmul broadcasts leading axes") {
    const Tensor twice = Tensor::of<float>({2, 1, 2, 2}, {1, 0, 0, 1, 2, 0, 0, 2});
    const Tensor x = Tensor::of<float>({2, 2, 1}, {1, 2, 3, 4});
    check_op(MatMul{}, {twice, x}, {Tensor::of<float>({2, 2, 2, 1}, {1, 2, 3, 4, 2, 4, 6, 8})});
  }

  TEST_CASE("matmul takes a vector as a row on the left and a column on the right") {
    const Tensor row = Tensor::of<float>({2}, {1, 10}), column = Tensor::of<float>({3}, {1, 1, 1});
    check_op(MatMul{}, {row, a}, {Tensor::of<float>({3}, {41, 52, 63})});
    check_op(MatMul{}, {a, column}, {Tensor::of<float>({2}, {6, 15})});
    check_op(MatMul{}, {column, column}, {Tensor::scalar<float>(3)});
  }

  TEST_CASE("matmul of nothing is zero") {
    check_op(MatMul{}, {Tensor::of<float>({2, 0}, {}), Tensor::of<float>({0, 1}, {})},
             {Tensor::of<float>({2, 1}, {0, 0})});
  }

  TEST_CASE("matmul wraps integers") {
    const Tensor x = Tensor::of<std::int32_t>({1, 1}, {65536}),
                 y = Tensor::of<std::int32_t>({1, 1}, {65537});
    check_op(MatMul{}, {x, y}, {Tensor::of<std::int32_t>({1, 1}, {65536})});
    // -3 * 5 + 100 * 2 = 185 = 256 - 71, and 65535 is -1 in 16 bits.
    check_op(MatMul{},
             {Tensor::of<std::int8_t>({1, 2}, {-3, 100}), Tensor::of<std::int8_t>({2, 1}, {5, 2})},
             {Tensor::of<std::int8_t>({1, 1}, {-71})});
    check_op(MatMul{},
             {Tensor::of<std::uint16_t>({1, 1}, {65535}), Tensor::of<std::uint16_t>({1, 1}, {3})},
             {Tensor::of<std::uint16_t>({1, 1}, {65533})});
  }

  TEST_CASE("matmul adds half floats in f32") {
    // 2048 + 1 is no f16, 2048 + 1 + 1 is.
    const Tensor x = cast(Tensor::of<float>({1, 3}, {2048, 1, 1}), DatumType::f16);
    const Tensor ones = cast(Tensor::of<float>({3, 1}, {1, 1, 1}), DatumType::f16);
    check_op(MatMul{}, {x, ones}, {cast(Tensor::of<float>({1, 1}, {2050}), DatumType::f16)});
  }

  TEST_CASE("matmul adds long sums exactly enough") {
    const std::vector<float> tenth(20000, 0.1f);
    const Tensor x = Tensor::of<float>({1, 20000}, std::span<const float>(tenth));
    check_op(MatMul{}, {x, x.reshaped({20000, 1})}, {Tensor::of<float>({1, 1}, {200})});
  }

  TEST_CASE("matmul keeps symbolic sizes") {
    const Fact x = Fact::tensor(DatumType::f32, {{Dim::symbol("N"), Dim::symbol("S"), 4}});
    CHECK(facts_of(MatMul{}, {x, f32({4, 7})})[0].shape.to_string() == "[N,S,7]");
  }

  TEST_CASE("matmul counts two operations a product") {
    const Fact x = f32({2, 3}), y = f32({3, 5}), out = f32({2, 5});
    const Fact* in[] = {&x, &y};
    const Fact* outs[] = {&out};
    CHECK(MatMul{}.cost(Facts(in), Facts(outs)).flops == 60);
  }

  TEST_CASE("matmul_c1: one input") {
    CHECK_THROWS_WITH_AS(facts_of(MatMul{}, {f32({2, 2})}), doctest::Contains("(C1)"), Error);
  }
  TEST_CASE("matmul_c2: two element types") {
    CHECK_THROWS_WITH_AS(
        facts_of(MatMul{}, {f32({2, 2}), Fact::tensor(DatumType::f64, Shape{2, 2})}),
        doctest::Contains("(C2)"), Error);
  }
  TEST_CASE("matmul_c3: a scalar") {
    CHECK_THROWS_WITH_AS(facts_of(MatMul{}, {f32({}), f32({2, 2})}), doctest::Contains("(C3)"),
                         Error);
  }
  TEST_CASE("matmul_c4: inner sizes that differ") {
    CHECK_THROWS_WITH_AS(facts_of(MatMul{}, {f32({2, 3}), f32({2, 3})}), doctest::Contains("(C4)"),
                         Error);
    CHECK_THROWS_WITH_AS(MatMul{}.eval(TensorList{a, a}), doctest::Contains("(C4)"), Error);
  }
  TEST_CASE("matmul_c5: leading axes that do not broadcast") {
    CHECK_THROWS_WITH_AS(facts_of(MatMul{}, {f32({2, 2, 2}), f32({3, 2, 2})}),
                         doctest::Contains("[2] and [3] do not broadcast"), Error);
  }
}
