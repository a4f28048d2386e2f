#pragma once

#include <type_traits>
#include <utility>

#include "kernels/impl/index.h"
#include "kernels/impl/nearest.h"
#include "kernels/int8.h"

/// Words: 32 bits that hold kGroup bytes next to each other along the summed axis, as they are
/// where the CPU multiplies bytes, and widened to 16 bits where it multiplies those.
namespace strata::kernels {
namespace {

#if defined(__AVX512VNNI__) || defined(__AVXVNNI__) || defined(STRATA_BYTE_QUADS)
constexpr int kGroup = 4;
#else
constexpr int kGroup = 2;
#endif
constexpr int kPartBits = 32 / kGroup;
constexpr int kPanelVectors = 2;
constexpr Index kPanel = kPanelVectors * kLanes;  ///< words side by side in a panel of B
constexpr Index kChunk = 256;                     ///< columns whose sums are finished together

using Word = std::int32_t;
typedef Vu UnalignedVu __attribute__((aligned(4), may_alias));

inline Vu load_words(const Word* p) { return *reinterpret_cast<const UnalignedVu*>(p); }
inline void store_words(Word* p, Vu v) { *reinterpret_cast<UnalignedVu*>(p) = v; }
/// Writes the first n words, 0 < n < kLanes.
inline void store_first_words(Word* p, Vu v, Index n) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_epi32(p, static_cast<__mmask16>((1u << n) - 1), reinterpret_cast<__m512i>(v));
#elif defined(__AVX2__)
  const Vi mask = lane_numbers() < static_cast<std::int32_t>(n);
  _mm256_maskstore_epi32(p, reinterpret_cast<__m256i>(mask), reinterpret_cast<__m256i>(v));
#else
  for (int i = 0; i < n; ++i) p[i] = static_cast<Word>(v[i]);
#endif
}
inline Vu broadcast_word(Word x) { return Vu{} + static_cast<std::uint32_t>(x); }

typedef std::uint16_t Pairs __attribute__((vector_size(kVectorBytes)));

#if defined(__AVX2__)
/// Sums of two products each of bytes of x, unsigned, with those of w, signed; at most INT16_MAX,
/// and at least INT16_MIN.
inline Pairs pair_products(Vu x, Vu w) {
#if defined(__AVX512F__)
  return reinterpret_cast<Pairs>(
      _mm512_maddubs_epi16(reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(w)));
#else
  return reinterpret_cast<Pairs>(
      _mm256_maddubs_epi16(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(w)));
#endif
}
#endif

/// sum + the products of two numbers of 16 bits each, in each word.
inline Vu add_pairs(Vu sum, Vu x, Vu w) {
#if defined(__AVX512F__)
  return sum + reinterpret_cast<Vu>(
                   _mm512_madd_epi16(reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(w)));
#elif defined(__AVX2__)
  return sum + reinterpret_cast<Vu>(
                   _mm256_madd_epi16(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(w)));
#elif defined(__x86_64__)
  return sum + reinterpret_cast<Vu>(
                   _mm_madd_epi16(reinterpret_cast<__m128i>(x), reinterpret_cast<__m128i>(w)));
#else
  const auto low = [](Vu v) { return reinterpret_cast<Vi>(v << 16) >> 16; };
  const auto high = [](Vu v) { return reinterpret_cast<Vi>(v) >> 16; };
  return sum + reinterpret_cast<Vu>(low(x) * low(w) + high(x) * high(w));
#endif
}

/// sum + the products, in each word, of the parts of x with those of w. Those of w are signed,
/// those of x too where they are wider than bytes. No pair of products leaves 32 bits (16 in
/// int8_quads.h, where weights see to that), and what leaves them afterwards wraps.
inline Vu add_products(Vu sum, Vu x, Vu w) {
#if defined(__AVX512VNNI__)
  return reinterpret_cast<Vu>(_mm512_dpbusd_epi32(
      reinterpret_cast<__m512i>(sum), reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(w)));
#elif defined(__AVXVNNI__)
  return reinterpret_cast<Vu>(_mm256_dpbusd_avx_epi32(
      reinterpret_cast<__m256i>(sum), reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(w)));
#elif defined(STRATA_BYTE_QUADS)
  return add_pairs(sum, reinterpret_cast<Vu>(pair_products(x, w)), Vu{} + 0x0001'0001u);
#else
  return add_pairs(sum, x, w);
#endif
}

/// sum += the products with a word that is read for these alone; whether one instruction broadcasts
/// it as it multiplies.
#if defined(__AVX512VNNI__) && !defined(__clang__)
constexpr bool kHasBroadcastProducts = true;
inline void add_broadcast_products(Vu& sum, Vu x, const Word& w) {
  asm("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(x), "m"(w));
}
#else
constexpr bool kHasBroadcastProducts = false;
inline void add_broadcast_products(Vu& sum, Vu x, const Word& w) {
  sum = add_products(sum, x, broadcast_word(w));
}
#endif

/// Part `e` of a word of a right operand, and of a left one.
inline std::uint32_t right_part(std::uint8_t stored, int e) {
  return static_cast<std::uint32_t>(stored) << (e * kPartBits);
}
inline std::uint32_t left_part(std::int8_t stored, int e) {
  constexpr std::uint32_t mask = kPartBits == 8 ? 0xffu : 0xffffu;
  const auto wide = static_cast<std::uint32_t>(static_cast<std::int32_t>(stored));
  return (wide & mask) << (e * kPartBits);
}

/// What turns the bytes of a kind into those that an operand is stored as.
inline std::uint8_t right_flip(ByteKind kind) { return kind == ByteKind::i8 ? 0x80 : 0; }
inline std::uint8_t left_flip(ByteKind kind) { return kind == ByteKind::u8 ? 0x80 : 0; }

/// The word of a left operand made of any number of bytes.
[[gnu::noinline]] Word part_word(const std::uint8_t* a, Index stride, std::uint8_t flip,
                                 Index count) {
  std::uint32_t word = 0;
  for (int e = 0; e < count; ++e)
    word |= left_part(static_cast<std::int8_t>(a[e * stride] ^ flip), e);
  return static_cast<Word>(word);
}

/// The word of a left operand of `count` bytes `stride` apart.
inline Word left_word(const std::uint8_t* a, Index stride, std::uint8_t flip, Index count) {
  if (count < kGroup) return part_word(a, stride, flip, count);
  std::uint32_t word = 0;
#pragma GCC unroll 4
  for (int e = 0; e < kGroup; ++e)
    word |= left_part(static_cast<std::int8_t>(a[e * stride] ^ flip), e);
  return static_cast<Word>(word);
}

/// Rows of bytes, from each of which a word takes one; null for zeros.
struct ByteRows {
  const std::uint8_t* row[kGroup];
  std::uint8_t flip;  ///< of all bytes of rows that are there
};

/// kLanes bytes, one per word.
inline Vu widened(const std::uint8_t* p) {
#if defined(__AVX512F__)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return reinterpret_cast<Vu>(_mm512_cvtepu8_epi32(bytes));
#elif defined(__AVX2__)
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return reinterpret_cast<Vu>(_mm256_cvtepu8_epi32(bytes));
#elif defined(__x86_64__)
  std::int32_t bits;
  __builtin_memcpy(&bits, p, sizeof bits);
  const __m128i zero = _mm_setzero_si128(), bytes = _mm_cvtsi32_si128(bits);
  return reinterpret_cast<Vu>(_mm_unpacklo_epi16(_mm_unpacklo_epi8(bytes, zero), zero));
#else
  typedef std::uint8_t Bytes __attribute__((vector_size(kLanes)));
  typedef Bytes UnalignedBytes __attribute__((aligned(1), may_alias));
  return __builtin_convertvector(*reinterpret_cast<const UnalignedBytes*>(p), Vu);
#endif
}

/// Every second of 2 kLanes bytes, one per word.
inline Vu widened_even(const std::uint8_t* p) {
#if defined(__AVX512F__)
  const __m256i pairs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return reinterpret_cast<Vu>(_mm512_cvtepu16_epi32(pairs)) & 0xffu;
#elif defined(__AVX2__)
  const __m128i pairs = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return reinterpret_cast<Vu>(_mm256_cvtepu16_epi32(pairs)) & 0xffu;
#elif defined(__x86_64__)
  const __m128i pairs = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return reinterpret_cast<Vu>(_mm_unpacklo_epi16(pairs, _mm_setzero_si128())) & 0xffu;
#else
  Vu out{};
  for (int i = 0; i < kLanes; ++i) out[i] = p[2 * i];
  return out;
#endif
}

/// The words from word `i` on, whose bytes lie `Step` apart.
template <int Step>
inline Vu word_vector(const ByteRows& rows, std::uint32_t flips, Index i) {
  Vu words = broadcast_word(static_cast<Word>(flips));
#pragma GCC unroll 4
  for (int e = 0; e < kGroup; ++e) {
    if (!rows.row[e]) continue;
    const std::uint8_t* p = rows.row[e] + Step * i;
    words ^= (Step == 1 ? widened(p) : widened_even(p)) << (e * kPartBits);
  }
  return words;
}

/// Which lane of two vectors of `count` comes where, when their lanes are taken in turn, in each
/// part of 16 bytes those from `first` on.
constexpr int by_turns(int lane, int count, int first) {
  const int part = count * 16 / kVectorBytes;
  return lane / part * part + first + lane % part / 2 + lane % 2 * count;
}
template <int Half, class V, int... Lanes>
inline V by_turns(V a, V b, std::integer_sequence<int, Lanes...>) {
  constexpr int count = sizeof...(Lanes), first = Half * count * 8 / kVectorBytes;
  return __builtin_shufflevector(a, b, by_turns(Lanes, count, first)...);
}
template <int Half>
inline Pairs pairs_of(ByteVector a, ByteVector b) {
  return reinterpret_cast<Pairs>(
      by_turns<Half>(a, b, std::make_integer_sequence<int, kVectorBytes>{}));
}
template <int Half>
inline Vu words_of(Pairs a, Pairs b) {
  return reinterpret_cast<Vu>(
      by_turns<Half>(a, b, std::make_integer_sequence<int, kVectorBytes / 2>{}));
}

/// Parts of 16 bytes of what is returned are every kLanes / 4th of x, so that lanes that come by
/// turns there are in their order.
template <int... Lanes>
inline ByteVector spread(Vi x, std::integer_sequence<int, Lanes...>) {
  return reinterpret_cast<ByteVector>(
      __builtin_shufflevector(x, x, (Lanes % 4 * (kLanes / 4) + Lanes / 4)...));
}

/// Four vectors of words from word `i` on.
inline void store_interleaved(const ByteRows& rows, Index i, Word* out) {
  constexpr int kFirst = 4 / kGroup;  // words of two bytes have zeros between them
  ByteVector row[4] = {};
#pragma GCC unroll 4
  for (int e = 0; e < kGroup; ++e) {
    if (!rows.row[e]) continue;
    Vi x;
    __builtin_memcpy(&x, rows.row[e] + i, sizeof x);
    row[e * kFirst] = spread(x, std::make_integer_sequence<int, kLanes>{}) ^ rows.flip;
  }
  const Pairs a = pairs_of<0>(row[0], row[1]), b = pairs_of<0>(row[2], row[3]);
  const Pairs c = pairs_of<1>(row[0], row[1]), d = pairs_of<1>(row[2], row[3]);
  store_words(out, words_of<0>(a, b));
  store_words(out + kLanes, words_of<1>(a, b));
  store_words(out + 2 * kLanes, words_of<0>(c, d));
  store_words(out + 3 * kLanes, words_of<1>(c, d));
}

/// kLanes words of two bytes next to each other.
inline Vu widened_words(const std::uint8_t* p) {
#if defined(__AVX512F__)
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return reinterpret_cast<Vu>(_mm512_cvtepu8_epi16(bytes));
#elif defined(__AVX2__)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return reinterpret_cast<Vu>(_mm256_cvtepu8_epi16(bytes));
#else
  ByteVector bytes{};
  __builtin_memcpy(&bytes, p, 2 * kLanes);
  return reinterpret_cast<Vu>(pairs_of<0>(bytes, ByteVector{}));
#endif
}

#if defined(STRATA_BYTE_QUADS)
/// A word of a packed right operand of a product. Its bytes are signed, and those of the left one
/// are not: so it is the weights that are.
struct StoredWord {
  Word word;
};
constexpr bool kSignedRight = true;
inline Vu load_words(const StoredWord* p) { return load_words(&p->word); }
inline void store_words(StoredWord* p, Vu v) { store_words(&p->word, v); }
#elif defined(__x86_64__)
using StoredWord = Word;
constexpr bool kSignedRight = false;
#else
/// A word of a packed right operand of a product: its bytes alone, which are half of what each row
/// reads again. Not for x86, where all tiles would be there twice.
struct StoredWord {
  std::uint8_t bytes[kGroup];
};
constexpr bool kSignedRight = false;

inline Vu load_words(const StoredWord* p) { return widened_words(p->bytes); }

inline void store_words(StoredWord* p, Vu v) {
  typedef std::uint8_t Bytes __attribute__((vector_size(kGroup * kLanes)));
  const Bytes bytes = __builtin_convertvector(reinterpret_cast<Pairs>(v), Bytes);
  __builtin_memcpy(p, &bytes, sizeof bytes);
}
#endif

/// sum + the products of words of a right operand of this type with those of a left one.
template <class Right>
inline Vu add_step_products(Vu sum, Vu right, Vu left) {
  if constexpr (kSignedRight && std::is_same_v<Right, StoredWord>)
    return add_products(sum, left, right);
  else
    return add_products(sum, right, left);
}

/// out[i] = the word of the bytes Step * i of the rows, 0 <= i < n. A Step of 2 may read the byte
/// behind the last one.
template <int Step>
[[gnu::noinline]] void interleave(const ByteRows& rows, Index n, Word* out) {
  std::uint32_t flips = 0;
  for (int e = 0; e < kGroup; ++e)
    if (rows.row[e]) flips |= right_part(rows.flip, e);
  Index i = 0;
  for (; Step == 1 && i + 4 * kLanes <= n; i += 4 * kLanes) store_interleaved(rows, i, out + i);
  for (; i + kLanes <= n; i += kLanes) store_words(out + i, word_vector<Step>(rows, flips, i));
  if (i == n) return;
  if (n >= kLanes) return store_words(out + n - kLanes, word_vector<Step>(rows, flips, n - kLanes));
  for (; i < n; ++i) {
    std::uint32_t word = flips;
    for (int e = 0; e < kGroup; ++e)
      if (rows.row[e]) word ^= right_part(rows.row[e][Step * i], e);
    out[i] = static_cast<Word>(word);
  }
}

/// Panels of the channels of a convolution. A few are an even number, which two threads share.
inline Index channel_panels(Index channels) {
  const Index panels = ceil_div(channels, kMaxTileRows);
  return panels > 1 && panels < kManyParts ? round_up(panels, 2) : panels;
}
/// Channels of one panel.
inline Index channel_rows(Index channels) { return ceil_div(channels, channel_panels(channels)); }

inline Index int8_channel_step(const ConvShape& s) noexcept { return channel_rows(s.out_channels); }
/// For methods that take one group, or one part, at a time.
inline Index only_one(const ConvShape&) noexcept { return 1; }

}  // namespace
}  // namespace strata::kernels
