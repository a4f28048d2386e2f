#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

#include "strata/core/ops/reduce.h"

/// The functions that reductions fold numbers with. Each struct is one: the total of nothing, a
/// total with one more number, and two totals as one.
namespace strata {

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
/// The first in an order; NaN when one is.
template <class T, class Order>
struct First {
  static constexpr T start = Order{}(lowest<T>(), highest<T>()) ? highest<T>() : lowest<T>();
  static T add(T total, T x) {
    const T first = Order{}(total, x) ? total : x;
    return total != total ? total : first;
  }
  static T join(T a, T b) { return add(a, b); }
};
template <class T>
using Greatest = First<T, std::greater<T>>;
template <class T>
using Least = First<T, std::less<T>>;

/// Calls `visit` with the function whose totals the reduction is made from. Of bytes, which have
/// no room for sums, only the greatest and the least are found.
template <class T, class Visit>
auto visit_fold(Reduction op, const Visit& visit) {
  if (op == Reduction::max || op == Reduction::log_sum_exp) return visit(Greatest<T>{});
  if constexpr (sizeof(T) == 1) {
    return visit(Least<T>{});
  } else {
    switch (op) {
      case Reduction::min:
        return visit(Least<T>{});
      case Reduction::l1:
        return visit(Magnitudes<T>{});
      case Reduction::l2:
      case Reduction::sum_square:
        return visit(Squares<T>{});
      case Reduction::prod:
        return visit(Product<T>{});
      default:
        return visit(Sum<T>{});
    }
  }
}

}  // namespace strata
