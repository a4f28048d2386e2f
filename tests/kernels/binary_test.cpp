#include <doctest/doctest.h>

#include "kernel_testing.h"

namespace strata::kernels::testing {
namespace {

double apply(Binary op, double a, double b) {
  switch (op) {
    case Binary::add:
      return a + b;
    case Binary::sub:
      return a - b;
    case Binary::mul:
      return a * b;
    case Binary::div:
      return a / b;
    case Binary::min:
      return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmin(a, b);
    case Binary::max:
      return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmax(a, b);
  }
  return 0;
}

/// How an operand is spread over [outer, inner].
enum class Spread { same, scalar, per_row, per_column };

Index outer_stride(Spread s, Index inner) {
  return s == Spread::same ? inner : s == Spread::per_row ? 1 : 0;
}

Index inner_stride(Spread s) { return s == Spread::same || s == Spread::per_column ? 1 : 0; }

void check_call(BinaryCall call) {
  std::vector<double> expected;
  for (Index o = 0; o < call.outer; ++o) {
    for (Index i = 0; i < call.inner; ++i) {
      expected.push_back(apply(call.op,
                               static_cast<double>(call.a[o * call.a_outer + i * call.a_inner]),
                               static_cast<double>(call.b[o * call.b_outer + i * call.b_inner])));
    }
  }
  for_each_isa([&](const KernelTable& t) {
    std::vector<float> y(expected.size() + 1, 42.0f);
    call.y = y.data();
    t.binary(call);
    CHECK(y.back() == 42.0f);
    y.pop_back();
    CHECK(largest_error(y, expected) < 1e-7);
  });
}

}  // namespace

TEST_CASE("binary functions agree with their definitions for every kind of broadcast") {
  constexpr Spread spreads[] = {Spread::same, Spread::scalar, Spread::per_row, Spread::per_column};
  for (const Index inner : {0, 1, 2, 3, 7, 15, 16, 17, 31, 37}) {
    const Index outer = 3;
    const auto a = noise(outer * inner + 4, 1);
    const auto b = noise(outer * inner + 4, 2);
    for (const Spread sa : spreads) {
      for (const Spread sb : spreads) {
        for (int op = 0; op <= static_cast<int>(Binary::max); ++op) {
          BinaryCall call;
          call.op = static_cast<Binary>(op);
          call.outer = outer;
          call.inner = inner;
          call.a = a.data();
          call.a_outer = outer_stride(sa, inner);
          call.a_inner = inner_stride(sa);
          call.b = b.data();
          call.b_outer = outer_stride(sb, inner);
          call.b_inner = inner_stride(sb);
          check_call(call);
        }
      }
    }
  }
}

TEST_CASE("min and max return NaN if either argument is NaN") {
  const std::vector<float> a = {kNan, 1, kNan, kInf, -kInf, 2};
  const std::vector<float> b = {1, kNan, kNan, 3, 3, 2};
  for (const Binary op : {Binary::min, Binary::max}) {
    BinaryCall call;
    call.op = op;
    call.inner = 6;
    call.a = a.data();
    call.b = b.data();
    check_call(call);
  }
}

TEST_CASE("division by zero follows IEEE 754") {
  const std::vector<float> a = {1, -1, 0};
  const std::vector<float> zero = {0, 0, 0};
  BinaryCall call;
  call.op = Binary::div;
  call.inner = 3;
  call.a = a.data();
  call.b = zero.data();
  check_call(call);
}

}  // namespace strata::kernels::testing
