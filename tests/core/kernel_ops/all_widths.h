#pragma once

#include "support/lowered.h"

/// Random tests of kernels that move elements of any width.
namespace strata::tests {

/// One type of each width that kernels move.
inline constexpr DatumType kTypes[] = {DatumType::u8, DatumType::f16, DatumType::f32,
                                       DatumType::i64, DatumType::c128};

inline constexpr int kRounds = 60;

/// Calls `test(noise, type)` many times.
template <class Test>
void in_all_widths(const Test& test) {
  Noise noise(7);
  for (const DatumType type : kTypes)
    for (int round = 0; round < kRounds; ++round) {
      CAPTURE(round);
      test(noise, type);
    }
}

inline DatumType index_type(Noise& noise) {
  return noise.number(0, 1) == 0 ? DatumType::i32 : DatumType::i64;
}

inline std::vector<std::int64_t> numbers(Noise& noise, std::size_t count, std::int64_t least,
                                         std::int64_t greatest) {
  std::vector<std::int64_t> out(count);
  for (std::int64_t& x : out) x = noise.number(least, greatest);
  return out;
}

}  // namespace strata::tests
