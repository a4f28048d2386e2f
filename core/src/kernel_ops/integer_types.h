#pragma once

#include <optional>

#include "kernels/types.h"
#include "strata/core/datum_type.h"

namespace strata {

/// The integers that kernels convert from and to.
inline std::optional<kernels::IntegerType> integer_type(DatumType type) {
  switch (type) {
    case DatumType::u8:
      return kernels::IntegerType::u8;
    case DatumType::i8:
      return kernels::IntegerType::i8;
    case DatumType::u16:
      return kernels::IntegerType::u16;
    case DatumType::i16:
      return kernels::IntegerType::i16;
    case DatumType::i32:
      return kernels::IntegerType::i32;
    case DatumType::i64:
      return kernels::IntegerType::i64;
    default:
      return std::nullopt;
  }
}

inline bool is_8_bits(DatumType type) { return type == DatumType::u8 || type == DatumType::i8; }
inline bool is_16_bits(DatumType type) { return type == DatumType::u16 || type == DatumType::i16; }

}  // namespace strata
