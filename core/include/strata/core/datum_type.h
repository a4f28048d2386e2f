#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "strata/core/error.h"
#include "strata/core/float_formats.h"

namespace strata {

class Dim;

/// The element type of a tensor: every ONNX type, and `dim`, a symbolic integer.
///
/// Types below a byte are stored packed, the first element in the lowest bits.
enum class DatumType : std::uint8_t {
  boolean,
  u8,
  u16,
  u32,
  u64,
  i8,
  i16,
  i32,
  i64,
  f16,
  bf16,
  f32,
  f64,
  c64,
  c128,
  string,
  u4,
  i4,
  u2,
  i2,
  f8e4m3fn,
  f8e4m3fnuz,
  f8e5m2,
  f8e5m2fnuz,
  f8e8m0,
  f4e2m1,
  dim,
};

inline constexpr std::size_t kDatumTypeCount = static_cast<std::size_t>(DatumType::dim) + 1;

/// The name used in dumps and OPL: `f32`, `bool`, `i4`, ...
std::string_view to_string(DatumType type);
inline void append_text(std::string& out, DatumType type) { out += to_string(type); }
std::optional<DatumType> parse_datum_type(std::string_view name);

/// Bits of one stored element; 0 for string and dim, whose elements are objects.
std::size_t bit_width(DatumType type);

bool is_signed_integer(DatumType type);    ///< i2 … i64
bool is_unsigned_integer(DatumType type);  ///< u2 … u64
bool is_float(DatumType type);             ///< real floating point, of any width
bool is_complex(DatumType type);
inline bool is_integer(DatumType t) { return is_signed_integer(t) || is_unsigned_integer(t); }
/// Stored with several elements in a byte.
inline bool is_packed(DatumType t) { return bit_width(t) != 0 && bit_width(t) < 8; }

/// The DatumType that a C++ element type stores.
template <class T>
inline constexpr DatumType datum_type_of = [] {
  static_assert(sizeof(T) == 0, "not an element type");
  return DatumType::boolean;
}();
template <>
inline constexpr DatumType datum_type_of<bool> = DatumType::boolean;
template <>
inline constexpr DatumType datum_type_of<std::uint8_t> = DatumType::u8;
template <>
inline constexpr DatumType datum_type_of<std::uint16_t> = DatumType::u16;
template <>
inline constexpr DatumType datum_type_of<std::uint32_t> = DatumType::u32;
template <>
inline constexpr DatumType datum_type_of<std::uint64_t> = DatumType::u64;
template <>
inline constexpr DatumType datum_type_of<std::int8_t> = DatumType::i8;
template <>
inline constexpr DatumType datum_type_of<std::int16_t> = DatumType::i16;
template <>
inline constexpr DatumType datum_type_of<std::int32_t> = DatumType::i32;
template <>
inline constexpr DatumType datum_type_of<std::int64_t> = DatumType::i64;
template <>
inline constexpr DatumType datum_type_of<f16> = DatumType::f16;
template <>
inline constexpr DatumType datum_type_of<bf16> = DatumType::bf16;
template <>
inline constexpr DatumType datum_type_of<float> = DatumType::f32;
template <>
inline constexpr DatumType datum_type_of<double> = DatumType::f64;
template <>
inline constexpr DatumType datum_type_of<std::complex<float>> = DatumType::c64;
template <>
inline constexpr DatumType datum_type_of<std::complex<double>> = DatumType::c128;
template <>
inline constexpr DatumType datum_type_of<std::string> = DatumType::string;
template <>
inline constexpr DatumType datum_type_of<f8e4m3fn> = DatumType::f8e4m3fn;
template <>
inline constexpr DatumType datum_type_of<f8e4m3fnuz> = DatumType::f8e4m3fnuz;
template <>
inline constexpr DatumType datum_type_of<f8e5m2> = DatumType::f8e5m2;
template <>
inline constexpr DatumType datum_type_of<f8e5m2fnuz> = DatumType::f8e5m2fnuz;
template <>
inline constexpr DatumType datum_type_of<f8e8m0> = DatumType::f8e8m0;
template <>
inline constexpr DatumType datum_type_of<Dim> = DatumType::dim;

template <class T>
struct TypeTag {
  using type = T;
};

/// Calls `visit(TypeTag<T>{})` for the C++ element type of `type`; packed types are refused (unpack
/// first).
template <class Visit>
decltype(auto) visit_type(DatumType type, Visit&& visit) {
  switch (type) {
    case DatumType::boolean:
      return visit(TypeTag<bool>{});
    case DatumType::u8:
      return visit(TypeTag<std::uint8_t>{});
    case DatumType::u16:
      return visit(TypeTag<std::uint16_t>{});
    case DatumType::u32:
      return visit(TypeTag<std::uint32_t>{});
    case DatumType::u64:
      return visit(TypeTag<std::uint64_t>{});
    case DatumType::i8:
      return visit(TypeTag<std::int8_t>{});
    case DatumType::i16:
      return visit(TypeTag<std::int16_t>{});
    case DatumType::i32:
      return visit(TypeTag<std::int32_t>{});
    case DatumType::i64:
      return visit(TypeTag<std::int64_t>{});
    case DatumType::f16:
      return visit(TypeTag<f16>{});
    case DatumType::bf16:
      return visit(TypeTag<bf16>{});
    case DatumType::f32:
      return visit(TypeTag<float>{});
    case DatumType::f64:
      return visit(TypeTag<double>{});
    case DatumType::c64:
      return visit(TypeTag<std::complex<float>>{});
    case DatumType::c128:
      return visit(TypeTag<std::complex<double>>{});
    case DatumType::string:
      return visit(TypeTag<std::string>{});
    case DatumType::f8e4m3fn:
      return visit(TypeTag<f8e4m3fn>{});
    case DatumType::f8e4m3fnuz:
      return visit(TypeTag<f8e4m3fnuz>{});
    case DatumType::f8e5m2:
      return visit(TypeTag<f8e5m2>{});
    case DatumType::f8e5m2fnuz:
      return visit(TypeTag<f8e5m2fnuz>{});
    case DatumType::f8e8m0:
      return visit(TypeTag<f8e8m0>{});
    case DatumType::dim:
      return visit(TypeTag<Dim>{});
    default:
      fail(ErrorKind::internal, "elements of type ", type, " are packed");
  }
}

/// Like visit_type, but by storage alone: one call serves all types of one width, for ops that only
/// move elements. T is std::uint8_t, u16, u32, u64, std::complex<double>, std::string or Dim.
template <class Visit>
decltype(auto) visit_storage(DatumType type, Visit&& visit) {
  switch (bit_width(type)) {
    case 8:
      return visit(TypeTag<std::uint8_t>{});
    case 16:
      return visit(TypeTag<std::uint16_t>{});
    case 32:
      return visit(TypeTag<std::uint32_t>{});
    case 64:
      return visit(TypeTag<std::uint64_t>{});
    case 128:
      return visit(TypeTag<std::complex<double>>{});
    default:
      break;
  }
  if (type == DatumType::string) return visit(TypeTag<std::string>{});
  if (type == DatumType::dim) return visit(TypeTag<Dim>{});
  fail(ErrorKind::internal, "elements of type ", type, " are packed");
}

}  // namespace strata
