#pragma once

#include "kernels/impl/wide.h"
#include "kernels/types.h"

/// Comparisons of numbers of 64 bits, each of which becomes a byte.
namespace strata::kernels {
namespace {

struct Equal {
  static auto of(auto a, auto b) { return a == b; }
};
struct Less {
  static auto of(auto a, auto b) { return a < b; }
};
struct LessOrEqual {
  static auto of(auto a, auto b) { return a <= b; }
};

/// Whether there are vectors of 64 bits to compare: SSE2 has none of integers.
constexpr bool kComparesWide = kVectorBytes > 16;

/// Writes a byte for each lane of a mask: 0 or 1.
inline void store_truths(std::byte* y, Vl mask) {
#if defined(__AVX512F__)
  const __mmask8 holds = _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(y), _mm_maskz_set1_epi8(holds, 1));
#elif defined(__AVX2__)
  const auto holds =
      static_cast<std::uint32_t>(_mm256_movemask_pd(reinterpret_cast<__m256d>(mask)));
  const std::uint32_t truths = holds * 0x0020'4081u & 0x0101'0101u;  // bit i to byte i
  __builtin_memcpy(y, &truths, sizeof truths);
#else
  for (int i = 0; i < kWideLanes; ++i) y[i] = static_cast<std::byte>(mask[i] & 1);
#endif
}

/// y[i] = F of a[i] and b[i].
template <class F, class T>
void compare_wide(const std::byte* a, const std::byte* b, std::byte* y, Index n) noexcept {
  typedef T V __attribute__((vector_size(kVectorBytes), aligned(8), may_alias));
  typedef T Number __attribute__((may_alias));
  const auto* x = reinterpret_cast<const Number*>(a);
  const auto* z = reinterpret_cast<const Number*>(b);
  Index i = 0;
  if constexpr (kComparesWide) {
    for (; i + kWideLanes <= n; i += kWideLanes) {
      const auto holds =
          F::of(*reinterpret_cast<const V*>(x + i), *reinterpret_cast<const V*>(z + i));
      store_truths(y + i, reinterpret_cast<Vl>(holds));
    }
  }
  for (; i < n; ++i) y[i] = static_cast<std::byte>(F::of(x[i], z[i]));
}

template <class T>
constexpr WideComparisons kWideComparisons{compare_wide<Equal, T>, compare_wide<Less, T>,
                                           compare_wide<LessOrEqual, T>};

}  // namespace
}  // namespace strata::kernels
