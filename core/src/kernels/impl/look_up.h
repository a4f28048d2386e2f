#pragma once

#include "kernels/impl/nearest.h"
#include "kernels/types.h"

/// Functions of one byte, given as tables of 256.
namespace strata::kernels {
namespace {

#if defined(__AVX2__)
#if defined(__AVX512F__)
using ByteRegister = __m512i;
#else
using ByteRegister = __m256i;
#endif

/// These 16 bytes in each 16 of a register.
inline ByteVector repeated(const std::uint8_t* p) {
  const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
#if defined(__AVX512F__)
  return reinterpret_cast<ByteVector>(_mm512_broadcast_i32x4(part));
#else
  return reinterpret_cast<ByteVector>(_mm256_broadcastsi128_si256(part));
#endif
}

/// part[at % 16]; 0 where `at` is negative as i8.
inline ByteVector picked(ByteVector part, ByteVector at) {
  const auto from = reinterpret_cast<ByteRegister>(part), by = reinterpret_cast<ByteRegister>(at);
#if defined(__AVX512F__)
  return reinterpret_cast<ByteVector>(_mm512_shuffle_epi8(from, by));
#else
  return reinterpret_cast<ByteVector>(_mm256_shuffle_epi8(from, by));
#endif
}

/// x - 16 as i8, which saturates.
inline ByteVector next_part(ByteVector x) {
  const auto bytes = reinterpret_cast<ByteRegister>(x);
#if defined(__AVX512F__)
  return reinterpret_cast<ByteVector>(_mm512_subs_epi8(bytes, _mm512_set1_epi8(16)));
#else
  return reinterpret_cast<ByteVector>(_mm256_subs_epi8(bytes, _mm256_set1_epi8(16)));
#endif
}

/// Looks whole vectors up; returns how many bytes. Each half of the table is eight parts of 16
/// bytes, as their differences (by xor) from those before. A byte of that half picks from the parts
/// up to its own, then it is negative; what that makes together is its own part's.
inline Index look_up_vectors(const std::uint8_t* table, const std::uint8_t* x, std::uint8_t* y,
                             Index n) {
  constexpr int kHalf = 8;
  ByteVector parts[2 * kHalf];
  for (int k = 0; k < 2 * kHalf; ++k)
    parts[k] =
        repeated(table + 16 * k) ^ (k % kHalf == 0 ? ByteVector{} : repeated(table + 16 * (k - 1)));
  Index i = 0;
  for (; i + kVectorBytes <= n; i += kVectorBytes) {
    ByteVector low, out{};
    std::memcpy(&low, x + i, sizeof low);
    ByteVector high = low ^ std::uint8_t{0x80};
#pragma GCC unroll 8
    for (int k = 0; k < kHalf; ++k) {
      out ^= picked(parts[k], low) ^ picked(parts[k + kHalf], high);
      low = next_part(low);
      high = next_part(high);
    }
    std::memcpy(y + i, &out, sizeof out);
  }
  return i;
}
#else
inline Index look_up_vectors(const std::uint8_t*, const std::uint8_t*, std::uint8_t*, Index) {
  return 0;
}
#endif

void look_up(const std::uint8_t* table, const std::uint8_t* x, std::uint8_t* y, Index n) noexcept {
  for (Index i = look_up_vectors(table, x, y, n); i < n; ++i) y[i] = table[x[i]];
}

}  // namespace
}  // namespace strata::kernels
