#include "kernel_ops/folds.h"

#include <algorithm>

namespace strata {
namespace {

/// Integers wrap.
template <class T>
T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}
template <class T>
T times(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return a * b;
}
template <class T>
constexpr T lowest() {
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                              : std::numeric_limits<T>::min();
}
template <class T>
constexpr T highest() {
  return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                              : std::numeric_limits<T>::max();
}

/// Each struct is one function: the total of nothing, a total with one more number, and two totals
/// as one.
template <class T>
struct Sum {
  static constexpr T start = 0;
  static T add(T total, T x) { return plus(total, x); }
  static T join(T a, T b) { return plus(a, b); }
};
template <class T>
struct Magnitudes : Sum<T> {
  static T add(T total, T x) {
    if constexpr (std::is_integral_v<T>)
      return plus(total, x < 0 ? times<T>(x, static_cast<T>(-1)) : x);
    else
      return total + std::fabs(x);
  }
};
template <class T>
struct Squares : Sum<T> {
  static T add(T total, T x) { return plus(total, times(x, x)); }
};
template <class T>
struct Product {
  static constexpr T start = 1;
  static T add(T total, T x) { return times(total, x); }
  static T join(T a, T b) { return times(a, b); }
};
/// NaN when one is.
template <class T>
struct Greatest {
  static constexpr T start = lowest<T>();
  static T add(T total, T x) {
    const T greater = total > x ? total : x;
    return total != total ? total : greater;
  }
  static T join(T a, T b) { return add(a, b); }
};
template <class T>
struct Least {
  static constexpr T start = highest<T>();
  static T add(T total, T x) {
    const T less = total < x ? total : x;
    return total != total ? total : less;
  }
  static T join(T a, T b) { return add(a, b); }
};

/// Eight totals side by side, so that one need not wait for the other; one of bytes, which becomes
/// a vector of them.
template <class F, class T>
T row(T total, const T* x, std::int64_t n) {
  constexpr int kTotals = sizeof(T) == 1 ? 1 : 8;
  T totals[kTotals];
  for (T& t : totals) t = F::start;
  std::int64_t i = 0;
  for (; i + kTotals <= n; i += kTotals)
    for (int k = 0; k < kTotals; ++k) totals[k] = F::add(totals[k], x[i + k]);
  for (; i < n; ++i) totals[0] = F::add(totals[0], x[i]);
  for (const T t : totals) total = F::join(total, t);
  return total;
}

template <class F, class T>
void columns(T* totals, const T* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) totals[i] = F::add(totals[i], x[i]);
}

template <class F, class T>
Folding<T> made_of() {
  return {F::start, row<F, T>, columns<F, T>};
}

}  // namespace

template <class Byte>
Folding<Byte> picking(Reduction op) {
  return op == Reduction::max ? made_of<Greatest<Byte>, Byte>() : made_of<Least<Byte>, Byte>();
}

template <class Wide>
Folding<Wide> folding(Reduction op) {
  switch (op) {
    case Reduction::l1:
      return made_of<Magnitudes<Wide>, Wide>();
    case Reduction::l2:
    case Reduction::sum_square:
      return made_of<Squares<Wide>, Wide>();
    case Reduction::max:
    case Reduction::log_sum_exp:
      return made_of<Greatest<Wide>, Wide>();
    case Reduction::min:
      return made_of<Least<Wide>, Wide>();
    case Reduction::prod:
      return made_of<Product<Wide>, Wide>();
    case Reduction::log_sum:
    case Reduction::mean:
    case Reduction::sum:
      break;
  }
  return made_of<Sum<Wide>, Wide>();
}

void widen(const float* x, double* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<double>(x[i]);
}

const float* first_greatest(const float* x, std::int64_t n) {
  constexpr int kTotals = 16;
  float totals[kTotals];
  for (float& t : totals) t = x[0];
  std::int64_t i = 0;
  for (; i + kTotals <= n; i += kTotals)
    for (int k = 0; k < kTotals; ++k) totals[k] = totals[k] < x[i + k] ? x[i + k] : totals[k];
  float greatest = totals[0];
  for (const float t : totals) greatest = greatest < t ? t : greatest;
  for (; i < n; ++i) greatest = greatest < x[i] ? x[i] : greatest;
  return greatest == greatest ? std::find(x, x + n, greatest) : nullptr;
}

template Folding<double> folding(Reduction);
template Folding<std::int32_t> folding(Reduction);
template Folding<std::int64_t> folding(Reduction);
template Folding<std::uint64_t> folding(Reduction);
template Folding<std::uint8_t> picking(Reduction);
template Folding<std::int8_t> picking(Reduction);

}  // namespace strata
