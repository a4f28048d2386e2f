#pragma once

#include <algorithm>
#include <string>
#include <type_traits>

#include "strata/core/datum_type.h"
#include "strata/core/ops/scatter_reduction.h"
#include "strata/core/ops/support.h"
#include "strata/core/tensor.h"

namespace strata {

/// `a` with `b` joined to it. Integers wrap; narrow floats are computed in float. NaN wins min and
/// max.
template <class T>
T reduced(ScatterReduction reduction, const T& a, const T& b) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    using U = std::make_unsigned_t<T>;
    if (reduction == ScatterReduction::add)
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    // Products of narrow types would overflow as int.
    if (reduction == ScatterReduction::mul)
      return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    return reduction == ScatterReduction::max ? std::max(a, b) : std::min(a, b);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (reduction == ScatterReduction::add) return a + b;
    if (reduction == ScatterReduction::mul) return a * b;
    if (reduction == ScatterReduction::max) return a != a || a > b ? a : b;
    return a != a || a < b ? a : b;
  } else if constexpr (std::is_same_v<T, bool>) {
    const bool either = reduction == ScatterReduction::add || reduction == ScatterReduction::max;
    return either ? a || b : a && b;
  } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                       std::is_same_v<T, std::complex<double>>) {
    check(reduction == ScatterReduction::add || reduction == ScatterReduction::mul,
          "complex numbers have no order");
    return reduction == ScatterReduction::add ? a + b : a * b;
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Dim>) {
    fail(ErrorKind::invalid_model, "scattered elements of this type are not reduced");
  } else {
    return T(reduced(reduction, static_cast<float>(a), static_cast<float>(b)));
  }
}

/// Joins n elements of one type to those at `to`.
using JoinElements = void (*)(ScatterReduction reduction, std::byte* to, const std::byte* from,
                              std::int64_t n);
JoinElements join_elements(DatumType type);

/// Runs of `length` elements of the updates, in order, go to the elements of `out` from each of
/// `offsets` on, as `reduction` says.
void scatter(ScatterReduction reduction, const Tensor& updates, Span offsets, std::int64_t length,
             MutableTensor& out);

}  // namespace strata
