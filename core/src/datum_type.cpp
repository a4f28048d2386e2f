#include "strata/core/datum_type.h"

#include <array>

namespace strata {
namespace {

enum class Family : std::uint8_t { other, signed_integer, unsigned_integer, real, complex };

struct Row {
  DatumType type;
  std::string_view name;
  std::uint8_t bits;
  Family family;
};

using enum Family;

constexpr std::array<Row, kDatumTypeCount> kRows{{
    {DatumType::boolean, "bool", 8, other},
    {DatumType::u8, "u8", 8, unsigned_integer},
    {DatumType::u16, "u16", 16, unsigned_integer},
    {DatumType::u32, "u32", 32, unsigned_integer},
    {DatumType::u64, "u64", 64, unsigned_integer},
    {DatumType::i8, "i8", 8, signed_integer},
    {DatumType::i16, "i16", 16, signed_integer},
    {DatumType::i32, "i32", 32, signed_integer},
    {DatumType::i64, "i64", 64, signed_integer},
    {DatumType::f16, "f16", 16, real},
    {DatumType::bf16, "bf16", 16, real},
    {DatumType::f32, "f32", 32, real},
    {DatumType::f64, "f64", 64, real},
    {DatumType::c64, "c64", 64, complex},
    {DatumType::c128, "c128", 128, complex},
    {DatumType::string, "string", 0, other},
    {DatumType::u4, "u4", 4, unsigned_integer},
    {DatumType::i4, "i4", 4, signed_integer},
    {DatumType::u2, "u2", 2, unsigned_integer},
    {DatumType::i2, "i2", 2, signed_integer},
    {DatumType::f8e4m3fn, "f8e4m3fn", 8, real},
    {DatumType::f8e4m3fnuz, "f8e4m3fnuz", 8, real},
    {DatumType::f8e5m2, "f8e5m2", 8, real},
    {DatumType::f8e5m2fnuz, "f8e5m2fnuz", 8, real},
    {DatumType::f8e8m0, "f8e8m0", 8, real},
    {DatumType::f4e2m1, "f4e2m1", 4, real},
    {DatumType::dim, "dim", 0, other},
}};

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].type) != i) return false;
  }
  return true;
}
static_assert(rows_are_in_order());

const Row& row(DatumType type) { return kRows[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view to_string(DatumType type) { return row(type).name; }

std::optional<DatumType> parse_datum_type(std::string_view name) {
  for (const Row& each : kRows) {
    if (each.name == name) return each.type;
  }
  return std::nullopt;
}

std::size_t bit_width(DatumType type) { return row(type).bits; }
bool is_signed_integer(DatumType type) { return row(type).family == signed_integer; }
bool is_unsigned_integer(DatumType type) { return row(type).family == unsigned_integer; }
bool is_float(DatumType type) { return row(type).family == real; }
bool is_complex(DatumType type) { return row(type).family == complex; }

}  // namespace strata
