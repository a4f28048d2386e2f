#include "ops/unary_rows.h"

#include <cmath>
#include <numbers>

#include "ops/number_kinds.h"

namespace strata {
namespace {

/// Negation that wraps.
constexpr std::int64_t negated(std::int64_t x) {
  return static_cast<std::int64_t>(-static_cast<std::uint64_t>(x));
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) {
  return std::log1p(std::exp(-std::fabs(x))) + (x > 0 || std::isnan(x) ? x : 0);
}
double hard_swish(double x) { return x * std::fmin(std::fmax(x / 6 + 0.5, 0), 1); }
double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }
double gelu_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

constexpr UnaryRow kRows[] = {
    {.op = UnaryOp::abs,
     .real = [](double x) { return std::fabs(x); },
     .whole = [](std::int64_t x) { return x < 0 ? negated(x) : x; },
     .natural = [](std::uint64_t x) { return x; },
     .symbolic = [](const Dim& x) { return max(x, -x); }},
    {.op = UnaryOp::acos, .real = [](double x) { return std::acos(x); }},
    {.op = UnaryOp::acosh, .real = [](double x) { return std::acosh(x); }},
    {.op = UnaryOp::asin, .real = [](double x) { return std::asin(x); }},
    {.op = UnaryOp::asinh, .real = [](double x) { return std::asinh(x); }},
    {.op = UnaryOp::atan, .real = [](double x) { return std::atan(x); }},
    {.op = UnaryOp::atanh, .real = [](double x) { return std::atanh(x); }},
    {.op = UnaryOp::bitwise_not,
     .whole = [](std::int64_t x) { return ~x; },
     .natural = [](std::uint64_t x) { return ~x; }},
    {.op = UnaryOp::ceil, .real = [](double x) { return std::ceil(x); }},
    {.op = UnaryOp::cos, .real = [](double x) { return std::cos(x); }},
    {.op = UnaryOp::cosh, .real = [](double x) { return std::cosh(x); }},
    {.op = UnaryOp::erf, .real = [](double x) { return std::erf(x); }},
    {.op = UnaryOp::exp, .real = [](double x) { return std::exp(x); }},
    {.op = UnaryOp::floor, .real = [](double x) { return std::floor(x); }},
    {.op = UnaryOp::gelu, .real = gelu},
    {.op = UnaryOp::gelu_tanh, .real = gelu_tanh},
    {.op = UnaryOp::hard_swish, .real = [](double x) { return std::isnan(x) ? x : hard_swish(x); }},
    {.op = UnaryOp::is_inf, .test = [](double x) { return std::isinf(x); }},
    {.op = UnaryOp::is_nan, .test = [](double x) { return std::isnan(x); }},
    {.op = UnaryOp::log, .real = [](double x) { return std::log(x); }},
    {.op = UnaryOp::mish, .real = [](double x) { return x * std::tanh(softplus(x)); }},
    {.op = UnaryOp::neg,
     .real = [](double x) { return -x; },
     .whole = negated,
     .symbolic = [](const Dim& x) { return -x; }},
    {.op = UnaryOp::reciprocal, .real = [](double x) { return 1 / x; }},
    {.op = UnaryOp::relu,
     .real = [](double x) { return x <= 0 ? 0 : x; },
     .whole = [](std::int64_t x) { return x < 0 ? 0 : x; },
     .natural = [](std::uint64_t x) { return x; },
     .symbolic = [](const Dim& x) { return max(x, Dim(0)); }},
    {.op = UnaryOp::round, .real = [](double x) { return std::nearbyint(x); }},
    {.op = UnaryOp::rsqrt, .real = [](double x) { return 1 / std::sqrt(x); }},
    {.op = UnaryOp::sigmoid, .real = sigmoid},
    {.op = UnaryOp::sign,
     .real = [](double x) { return std::isnan(x) ? x : static_cast<double>((x > 0) - (x < 0)); },
     .whole = [](std::int64_t x) { return static_cast<std::int64_t>((x > 0) - (x < 0)); },
     .natural = [](std::uint64_t x) { return static_cast<std::uint64_t>(x > 0); }},
    {.op = UnaryOp::silu, .real = [](double x) { return x * sigmoid(x); }},
    {.op = UnaryOp::sin, .real = [](double x) { return std::sin(x); }},
    {.op = UnaryOp::sinh, .real = [](double x) { return std::sinh(x); }},
    {.op = UnaryOp::softplus, .real = softplus},
    {.op = UnaryOp::softsign, .real = [](double x) { return x / (1 + std::fabs(x)); }},
    {.op = UnaryOp::sqrt, .real = [](double x) { return std::sqrt(x); }},
    {.op = UnaryOp::square,
     .real = [](double x) { return x * x; },
     .whole =
         [](std::int64_t x) {
           return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) *
                                            static_cast<std::uint64_t>(x));
         },
     .natural = [](std::uint64_t x) { return x * x; },
     .symbolic = [](const Dim& x) { return x * x; }},
    {.op = UnaryOp::tan, .real = [](double x) { return std::tan(x); }},
    {.op = UnaryOp::tanh, .real = [](double x) { return std::tanh(x); }},
    {.op = UnaryOp::truth_not, .truth = [](bool x) { return !x; }},
};

}  // namespace

const UnaryRow& unary_row(UnaryOp op) { return row_of(kRows, op); }

}  // namespace strata
