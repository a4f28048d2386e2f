#pragma once

#include <cmath>
#include <cstdint>
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

/// Calls `visit` with the function that a reduction of bytes picks one by.
template <class Byte, class Visit>
auto visit_pick(Reduction op, const Visit& visit) {
  return op == Reduction::max ? visit(Greatest<Byte>{}) : visit(Least<Byte>{});
}

/// Calls `visit` with the function whose totals the reduction is made from.
template <class Wide, class Visit>
auto visit_fold(Reduction op, const Visit& visit) {
  switch (op) {
    case Reduction::l1:
      return visit(Magnitudes<Wide>{});
    case Reduction::l2:
    case Reduction::sum_square:
      return visit(Squares<Wide>{});
    case Reduction::max:
    case Reduction::log_sum_exp:
      return visit(Greatest<Wide>{});
    case Reduction::min:
      return visit(Least<Wide>{});
    case Reduction::prod:
      return visit(Product<Wide>{});
    case Reduction::log_sum:
    case Reduction::mean:
    case Reduction::sum:
      break;
  }
  return visit(Sum<Wide>{});
}

}  // namespace strata
