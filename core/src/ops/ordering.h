#pragma once

#include <complex>
#include <string>
#include <type_traits>

#include "strata/core/datum_type.h"
#include "strata/core/dim.h"

/// A total order of elements, in which NaN is the greatest and equal to itself.
namespace strata {

template <class T>
inline constexpr bool is_ordered =
    !std::is_same_v<T, std::complex<float>> && !std::is_same_v<T, std::complex<double>> &&
    !std::is_same_v<T, Dim>;

/// Whether `a` comes before `b`. Throws: internal for types without an order.
template <class T>
bool comes_before(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a < b || (a == a && b != b);
  } else if constexpr (std::is_integral_v<T> || std::is_same_v<T, std::string>) {
    return a < b;
  } else if constexpr (is_ordered<T>) {
    return comes_before(static_cast<float>(a), static_cast<float>(b));
  } else {
    fail(ErrorKind::internal, "elements without an order are compared");
  }
}

}  // namespace strata
