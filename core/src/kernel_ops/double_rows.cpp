#include "kernel_ops/double_rows.h"

#include "ops/double_functions.h"
#include "strata/core/cpu.h"

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

#if defined(__x86_64__)
/// By vectors of four. Without fused multiply-adds, results have the same bits.
[[gnu::target("avx2")]] void wide_exp_row(const double* x, double* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = fast_exp(x[i]);
}
DoubleRow exp_row() { return active_isa() >= Isa::avx2_fma ? wide_exp_row : row<fast_exp>; }
#else
DoubleRow exp_row() { return row<fast_exp>; }
#endif

}  // namespace

DoubleRow double_row(UnaryOp op) {
  switch (op) {
    case UnaryOp::abs:
      return row<magnitude>;
    case UnaryOp::ceil:
      return row<fast_ceil>;
    case UnaryOp::exp:
      return exp_row();
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
