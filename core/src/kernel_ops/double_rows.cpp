#include "kernel_ops/double_rows.h"

#include "ops/double_functions.h"

namespace strata {
namespace {

double magnitude(double x) { return std::fabs(x); }
double negated(double x) { return -x; }
double inverse(double x) { return 1 / x; }
double relu(double x) { return x <= 0 ? 0 : x; }
double root(double x) { return std::sqrt(x); }

template <double (*function)(double)>
void row(const double* x, double* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = function(x[i]);
}

}  // namespace

DoubleRow double_row(UnaryOp op) {
  switch (op) {
    case UnaryOp::abs:
      return row<magnitude>;
    case UnaryOp::ceil:
      return row<fast_ceil>;
    case UnaryOp::exp:
      return row<fast_exp>;
    case UnaryOp::floor:
      return row<fast_floor>;
    case UnaryOp::neg:
      return row<negated>;
    case UnaryOp::reciprocal:
      return row<inverse>;
    case UnaryOp::relu:
      return row<relu>;
    case UnaryOp::round:
      return row<fast_round>;
    case UnaryOp::sigmoid:
      return row<fast_sigmoid>;
    case UnaryOp::sqrt:
      return row<root>;
    case UnaryOp::tanh:
      return row<fast_tanh>;
    default:
      return nullptr;
  }
}

}  // namespace strata
