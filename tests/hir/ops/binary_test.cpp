#include "strata/hir/ops/binary.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir PRelu") {
  const PRelu op{SlopeLayout::per_channel};

  TEST_CASE("a vector of slopes has one for each channel") {
    const Value x = floats({1, 2, 2}, {-1, 2, -3, -4}), slopes = floats({2}, {2, 10});
    check_inference_op(op, {x, slopes}, {floats({1, 2, 2}, {-2, 2, -30, -40})}, Undeclared::right);
    check_inference_op(op, {floats({2}, {-1, -2}), slopes}, {floats({2}, {-2, -20})},
                       Undeclared::right);
  }

  TEST_CASE("other slopes broadcast as they are") {
    const Value x = floats({1, 2, 2}, {-1, 2, -3, -4});
    check_inference_op(op, {x, floats({2, 1}, {2, 10})}, {floats({1, 2, 2}, {-2, 2, -30, -40})},
                       Undeclared::right);
    check_inference_op(op, {x, floats({1}, {3})}, {floats({1, 2, 2}, {-3, 2, -9, -12})},
                       Undeclared::right);
    check_inference_op(op, {x, floats({}, {3})}, {floats({1, 2, 2}, {-3, 2, -9, -12})},
                       Undeclared::right);
  }
}

TEST_SUITE("hir Variadic") {
  const Value far = halves({1}, {60000}), back = halves({1}, {-60000});

  TEST_CASE("a sum of half floats is rounded once") {
    check_inference_op(Variadic{BinaryOp::add}, {far, far, back}, {far});
  }

  TEST_CASE("a mean of half floats whose sum is beyond them") {
    check_inference_op(Variadic{BinaryOp::add, Divisor::count}, {far, far}, {far});
  }
}
