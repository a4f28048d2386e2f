#include "ops/binary_rows.h"

#include <cmath>

#include "ops/number_kinds.h"

namespace strata {
namespace {

using Whole = std::int64_t;
using Natural = std::uint64_t;

/// `function` on signed integers modulo 2^64.
template <Natural (*function)(Natural, Natural)>
Whole wrapped(Whole a, Whole b) {
  return static_cast<Whole>(function(static_cast<Natural>(a), static_cast<Natural>(b)));
}

Natural plus(Natural a, Natural b) { return a + b; }
Natural minus(Natural a, Natural b) { return a - b; }
Natural times(Natural a, Natural b) { return a * b; }

template <class Integer>
void check_divisor(Integer b) {
  check_data(b != 0, "(C5) an integer is divided by 0");
}

Natural quotient(Natural a, Natural b) {
  check_divisor(b);
  return a / b;
}

Whole quotient(Whole a, Whole b) {
  check_divisor(b);
  return b == -1 ? wrapped<minus>(0, a) : a / b;
}

Natural remainder(Natural a, Natural b) {
  check_divisor(b);
  return a % b;
}

/// With the sign of `a`.
Whole remainder(Whole a, Whole b) {
  check_divisor(b);
  return b == -1 ? 0 : a % b;
}

/// With the sign of `b`.
Whole floor_mod(Whole a, Whole b) {
  const Whole rest = remainder(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double floor_mod(double a, double b) {
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

Natural power(Natural base, Natural exponent) {
  Natural out = 1;
  for (; exponent > 0; exponent >>= 1, base *= base)
    if (exponent & 1) out *= base;
  return out;
}

/// A negative exponent gives the reciprocal, truncated toward 0.
Whole power(Whole base, Whole exponent) {
  if (exponent >= 0)
    return static_cast<Whole>(power(static_cast<Natural>(base), static_cast<Natural>(exponent)));
  check_data(base != 0, "(C5) 0 is raised to the power ", exponent);
  if (base == 1) return 1;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  return 0;
}

Dim power(const Dim& base, const Dim& exponent) {
  constexpr Whole kMostFactors = 8;
  const auto times = exponent.constant();
  check_data(times && *times >= 0 && *times <= kMostFactors, "the power ", exponent,
             " of the size ", base, " is not expanded");
  Dim out = 1;
  for (Whole i = 0; i < *times; ++i) out *= base;
  return out;
}

/// Throws: run_time unless both sizes are known to be >= 0, where truncation and floor are the
/// same.
void check_not_negative(const Dim& a, const Dim& b) {
  const SymbolScope scope;
  check_data(scope.provably_at_least(a, 0) && scope.provably_at_least(b, 0),
             "the quotient of the sizes ", a, " and ", b, " depends on their signs");
}

Dim quotient(const Dim& a, const Dim& b) {
  check_not_negative(a, b);
  return floor_div(a, b);
}

Dim remainder(const Dim& a, const Dim& b) {
  check_not_negative(a, b);
  return mod(a, b);
}

constexpr Whole kBits = 64;

Natural shifted_left(Natural a, Natural b) { return b < kBits ? a << b : 0; }
Natural shifted_right(Natural a, Natural b) { return b < kBits ? a >> b : 0; }
Whole shifted_right(Whole a, Whole b) { return a >> (b >= 0 && b < kBits ? b : kBits - 1); }

double greatest(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double least(double a, double b) { return std::isnan(a) || a < b ? a : b; }

constexpr BinaryRow kRows[] = {
    {.op = BinaryOp::add,
     .real = [](double a, double b) { return a + b; },
     .whole = wrapped<plus>,
     .natural = plus,
     .symbolic = [](const Dim& a, const Dim& b) { return a + b; }},
    {.op = BinaryOp::bit_and,
     .whole = [](Whole a, Whole b) { return a & b; },
     .natural = [](Natural a, Natural b) { return a & b; }},
    {.op = BinaryOp::bit_or,
     .whole = [](Whole a, Whole b) { return a | b; },
     .natural = [](Natural a, Natural b) { return a | b; }},
    {.op = BinaryOp::bit_xor,
     .whole = [](Whole a, Whole b) { return a ^ b; },
     .natural = [](Natural a, Natural b) { return a ^ b; }},
    {.op = BinaryOp::div,
     .real = [](double a, double b) { return a / b; },
     .whole = quotient,
     .natural = quotient,
     .symbolic = quotient},
    {.op = BinaryOp::equal,
     .truth = [](bool a, bool b) { return a == b; },
     .compare = [](std::partial_ordering o) { return o == 0; }},
    {.op = BinaryOp::fmod,
     .real = [](double a, double b) { return std::fmod(a, b); },
     .whole = remainder,
     .natural = remainder,
     .symbolic = remainder},
    {.op = BinaryOp::greater, .compare = [](std::partial_ordering o) { return o > 0; }},
    {.op = BinaryOp::greater_or_equal, .compare = [](std::partial_ordering o) { return o >= 0; }},
    {.op = BinaryOp::less, .compare = [](std::partial_ordering o) { return o < 0; }},
    {.op = BinaryOp::less_or_equal, .compare = [](std::partial_ordering o) { return o <= 0; }},
    {.op = BinaryOp::max,
     .real = greatest,
     .whole = [](Whole a, Whole b) { return a < b ? b : a; },
     .natural = [](Natural a, Natural b) { return a < b ? b : a; },
     .symbolic = [](const Dim& a, const Dim& b) { return max(a, b); }},
    {.op = BinaryOp::min,
     .real = least,
     .whole = [](Whole a, Whole b) { return b < a ? b : a; },
     .natural = [](Natural a, Natural b) { return b < a ? b : a; },
     .symbolic = [](const Dim& a, const Dim& b) { return min(a, b); }},
    {.op = BinaryOp::mod,
     .real = floor_mod,
     .whole = floor_mod,
     .natural = remainder,
     .symbolic = remainder},
    {.op = BinaryOp::mul,
     .real = [](double a, double b) { return a * b; },
     .whole = wrapped<times>,
     .natural = times,
     .symbolic = [](const Dim& a, const Dim& b) { return a * b; }},
    {.op = BinaryOp::pow,
     .real = [](double a, double b) { return std::pow(a, b); },
     .whole = power,
     .natural = power,
     .symbolic = power},
    {.op = BinaryOp::shift_left, .whole = wrapped<shifted_left>, .natural = shifted_left},
    {.op = BinaryOp::shift_right, .whole = shifted_right, .natural = shifted_right},
    {.op = BinaryOp::sub,
     .real = [](double a, double b) { return a - b; },
     .whole = wrapped<minus>,
     .natural = minus,
     .symbolic = [](const Dim& a, const Dim& b) { return a - b; }},
    {.op = BinaryOp::truth_and, .truth = [](bool a, bool b) { return a && b; }},
    {.op = BinaryOp::truth_or, .truth = [](bool a, bool b) { return a || b; }},
    {.op = BinaryOp::truth_xor, .truth = [](bool a, bool b) { return a != b; }},
};

}  // namespace

const BinaryRow& binary_row(BinaryOp op) { return row_of(kRows, op); }

}  // namespace strata
