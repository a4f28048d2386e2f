#include "strata/hir/ops/quantized_matmul.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir QLinearMatMul") {
  // 0.5 and 2 for each unit of a and b, 0.25 for one of y.
  const Value one_scale = floats({1}, {0.5}), other_scale = floats({1}, {2}),
              scale = floats({1}, {0.25});
  const Value none = bytes({1}, {0}), two = bytes({1}, {2});

  TEST_CASE("products with vectors have no more axes where scales have one") {
    const Value rows = bytes({3, 2}, {1, 2, 3, 4, 5, 6}), vector = bytes({2}, {4, 3});
    // (1 * 2 + 2 * 1) * 0.5 * 2 / 0.25, and so on
    check_inference_op(QLinearMatMul{},
                       {rows, one_scale, none, vector, other_scale, two, scale, none},
                       {bytes({3}, {16, 40, 64})}, Undeclared::right);
    check_inference_op(QLinearMatMul{},
                       {vector, one_scale, none, vector, other_scale, two, scale, none},
                       {bytes({}, {44})}, Undeclared::right);
  }

  TEST_CASE("rows have scales of their own, also with a vector") {
    const Value rows = bytes({2, 2}, {1, 2, 3, 4}), vector = bytes({2}, {4, 3});
    const Value scales = floats({2}, {0.5, 0.25});
    check_inference_op(QLinearMatMul{},
                       {rows, scales, bytes({2}, {0, 1}), vector, other_scale, two, scale, none},
                       {bytes({2}, {16, 14})}, Undeclared::right);
  }
}

TEST_SUITE("hir MatMulInteger") {
  TEST_CASE("rows have zero points of their own") {
    const Value a = bytes({2, 2}, {3, 4, 5, 6}), b = bytes({2, 2}, {1, 0, 2, 1});
    const auto sums = [](Shape shape, std::initializer_list<std::int32_t> values) {
      return Value(Tensor::of<std::int32_t>(std::move(shape), values));
    };
    // (3 - 1) * 1 + (4 - 1) * 2, and so on
    check_inference_op(MatMulInteger{}, {a, b, bytes({2}, {1, 2})}, {sums({2, 2}, {8, 3, 11, 4})},
                       Undeclared::right);
    check_inference_op(MatMulInteger{}, {a, b, bytes({2, 1}, {1, 2})},
                       {sums({2, 2}, {8, 3, 11, 4})}, Undeclared::right);
    check_inference_op(MatMulInteger{}, {a, b, bytes({}, {1}), bytes({2}, {0, 1})},
                       {sums({2, 2}, {8, -2, 14, -4})}, Undeclared::right);
    check_inference_op(MatMulInteger{}, {bytes({2}, {3, 4}), b, bytes({1}, {1})},
                       {sums({2}, {8, 3})}, Undeclared::right);
  }
}
