#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <type_traits>

#include "strata/core/tensor.h"

/// What families of scalar functions share: the kinds of numbers they compute on, and their names.
namespace strata {

/// How a function of a family is reached for an element type.
enum class NumberKind { real, whole, natural, truth, symbolic, none };

/// whole: signed integers; natural: unsigned ones. Packed types and strings are `none`.
inline NumberKind kind_of(DatumType type) {
  if (is_packed(type)) return NumberKind::none;
  if (is_float(type)) return NumberKind::real;
  if (is_signed_integer(type)) return NumberKind::whole;
  if (is_unsigned_integer(type)) return NumberKind::natural;
  if (type == DatumType::boolean) return NumberKind::truth;
  return type == DatumType::dim ? NumberKind::symbolic : NumberKind::none;
}

/// The widest type of the kind of T, in which its arithmetic is done.
template <class T>
using WidestOf = std::conditional_t<
    !std::is_integral_v<T>, double,
    std::conditional_t<std::is_same_v<T, bool>, bool,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>>;

template <class T>
WidestOf<T> widened(T value) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<WidestOf<T>>(value);
  else
    return static_cast<double>(static_cast<float>(value));
}

/// The value as a T: floats rounded to nearest, integers wrapped.
template <class T, class Wide>
T narrowed(Wide value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
    return static_cast<T>(value);
  else
    return T(static_cast<float>(value));
}

/// Calls `visit(TypeTag<T>{})` where T computes in Wide; others are refused.
template <class Wide, class Visit>
void visit_kind(DatumType type, Visit&& visit) {
  visit_type(type, [&]<class T>(TypeTag<T> tag) {
    if constexpr (std::is_arithmetic_v<T> || std::is_convertible_v<T, float>) {
      if constexpr (std::is_same_v<WidestOf<T>, Wide>) return visit(tag);
    }
    fail(ErrorKind::internal, "elements of type ", type, " compute in another type");
  });
}

/// `hard_swish` as `HardSwish`: how a row is called in dumps.
inline std::string title_case(std::string_view name) {
  std::string out;
  bool upper = true;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
    } else {
      out += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      upper = false;
    }
  }
  return out;
}

/// The row of a table whose rows each have an `op`.
template <class Row, std::size_t N, class E>
const Row& row_of(const Row (&rows)[N], E op) {
  const auto at =
      std::find_if(std::begin(rows), std::end(rows), [&](const Row& row) { return row.op == op; });
  require(at != std::end(rows), ErrorKind::internal, name_of(op), " has no row");
  return *at;
}

}  // namespace strata
