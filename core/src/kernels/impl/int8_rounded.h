#pragma once

#include "kernels/impl/int8_rounding.h"
#include "kernels/impl/int8_words.h"
#include "kernels/impl/narrow_form.h"
#include "kernels/impl/simd_folds.h"

/// Products of rows that are rounded to bytes, in blocks that have a scale each, with panels of
/// integers of a few bits, see NarrowForm: bytes are multiplied where those would become floats.
namespace strata::kernels {
namespace {

/// Sums of products of bytes in each word: in 32 bits, or where the CPU sums pairs of them, in 16
/// at first, which hold kMost times two products of bytes with four bits.
class ByteSums {
 public:
#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
  static constexpr Index kMostBits = 8;
  void add(Vu x, Vu w) { words_ = add_products(words_, x, w); }
  void settle() {}
#else
  static constexpr Index kMostBits = 4;
  void add(Vu x, Vu w) { pairs_ += pair_products(x, w); }
  /// At least once in kMost products.
  void settle() {
    words_ = add_pairs(words_, reinterpret_cast<Vu>(pairs_), broadcast_word(0x0001'0001));
    pairs_ = Pairs{};
  }
#endif
  static constexpr Index kMost = 8;
  static_assert(kMost * 2 * 15 * 127 <= INT16_MAX);
  Vf floats() const { return to_float(reinterpret_cast<Vi>(words_)); }

 private:
  Vu words_{};
#if !defined(__AVX512VNNI__) && !defined(__AVXVNNI__)
  Pairs pairs_{};
#endif
};

/// Rows whose sums registers hold.
constexpr Index kRowsAtOnce = kLanes == 16 ? 4 : 2;
static_assert(kRowsAtOnce <= RoundedProducts::kMostRows);

/// Below it there is no number to divide by; what is that small is rounded to 0.
constexpr float kLeastMagnitude = 1e-30f;

/// What a block of n numbers is rounded by: NaN where one of them is that or infinite.
inline float block_scale(const float* x, Index n) {
  Vf greatest{}, undefined{};
  for (Index i = 0; i < n; i += kLanes) {
    const Vf v = load_upto(x + i, n - i);
    greatest = at_least(greatest, abs(v));
    undefined += v * 0.0f;
  }
  return max_lanes(greatest) / 127 + sum_lanes(undefined);
}

/// Writes the n bytes of a block, and zeros up to a whole vector of numbers; returns their sum.
inline Word round_block(const float* x, Index n, float scale, std::uint8_t* bytes) {
  const float inverse = scale > kLeastMagnitude ? 1 / scale : 0;
  Vu sum{};
  for (Index i = 0; i < n; i += kLanes) {
    const Vi whole = nearest_int(load_upto(x + i, n - i) * inverse);
    store_bytes(bytes + i, whole);
    sum += reinterpret_cast<Vu>(whole);
  }
  std::uint32_t total = 0;
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) total += sum[i];
  return static_cast<Word>(total);
}

/// Puts bytes into the order in which parts of a word of the other operand come when all its words
/// are moved alike: of eight steps the even ones, then the odd ones.
inline void order_by_parts(std::uint8_t* bytes, Index n) {
  typedef std::uint8_t Line __attribute__((vector_size(16)));
  for (Index i = 0; i < n; i += 16) {
    Line line;
    __builtin_memcpy(&line, bytes + i, sizeof line);
    line =
        __builtin_shufflevector(line, line, 0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15);
    __builtin_memcpy(bytes + i, &line, sizeof line);
  }
}

void round_row(const float* x, Index k, const NarrowForm& form, const RoundedRows& out) noexcept {
  auto* const bytes = reinterpret_cast<std::uint8_t*>(out.bytes);
  for (Index i = 0, b = 0; i < k; i += form.block, ++b) {
    const Index n = min_of(form.block, k - i);
    const float scale = block_scale(x + i, n);
    out.scales[b] = scale;
    out.sums[b] = scale * static_cast<float>(round_block(x + i, n, scale, bytes + i));
  }
  if (form.bits == 4) order_by_parts(bytes, k);
}

inline Word word_at(const std::int8_t* bytes, Index i) {
  Word word;
  __builtin_memcpy(&word, bytes + i * Index{sizeof word}, sizeof word);
  return word;
}

/// sum[r] += the products of row r with a part of words.
template <int R>
inline void add_parts(const RoundedRows& a, Index word, const Vu (&x)[kWordVectors],
                      ByteSums (&sum)[R][kWordVectors]) {
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    const Vu w = broadcast_word(word_at(a.bytes + r * a.byte_step, word));
#pragma GCC unroll 2
    for (int v = 0; v < kWordVectors; ++v) sum[r][v].add(x[v], w);
  }
}

template <int R>
inline void settle(ByteSums (&sum)[R][kWordVectors]) {
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kWordVectors; ++v) sum[r][v].settle();
}

/// The sums of R rows with some rows of a block's words, the first of which meets the bytes of word
/// `word`.
template <int Bits, int R>
inline void add_block(const RoundedRows& a, Index word, const NarrowBlock& block, Index rows,
                      ByteSums (&sum)[R][kWordVectors]) {
  for (Index row = 0; row < rows; ++row) {
    Vu x[kWordVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kWordVectors; ++v) {
      x[v] = reinterpret_cast<Vu>(block.words(row, v));
      if constexpr (R == 1) fetch_ahead(block.words_at(row, v));
    }
    if constexpr (Bits == 4) {
      const Vu low[] = {x[0] & 0x0f0f0f0fu, x[1] & 0x0f0f0f0fu};
      const Vu high[] = {x[0] >> 4 & 0x0f0f0f0fu, x[1] >> 4 & 0x0f0f0f0fu};
      add_parts(a, word++, low, sum);
      add_parts(a, word++, high, sum);
    } else {
      add_parts(a, word++, x, sum);
    }
    if ((row + 1) % (ByteSums::kMost / (8 / Bits)) == 0 || row + 1 == rows) settle(sum);
  }
}

inline Vf zero_points(const NarrowBlock& block, int v) {
  return to_float(reinterpret_cast<Vi>(widened(block.zeros + v * kLanes)));
}

/// total[r] += the sums of a block, as floats. What zero points add to them is taken off by the
/// sums of the rows.
template <int R>
inline void add_scaled(const RoundedRows& a, Index b, const NarrowBlock& block,
                       const ByteSums (&sum)[R][kWordVectors], Vf (&total)[R][kWordVectors]) {
#pragma GCC unroll 2
  for (int v = 0; v < kWordVectors; ++v) {
    const Vf scale = block.scale(v), zero = scale * zero_points(block, v);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      const Index at = r * a.block_step + b;
      total[r][v] = fma(scale * broadcast(a.scales[at]), sum[r][v].floats(), total[r][v]);
      total[r][v] = fma(zero, broadcast(-a.sums[at]), total[r][v]);
    }
  }
}

template <int Bits, int R>
[[gnu::noinline]] void rounded_rows(const RoundedRows& a, const NarrowPanel& panel, Index k,
                                    float* sums, Index sums_step) {
  constexpr Index parts = 32 / Bits;
  const Index block_steps = panel.form.block;
  Vf total[R][kWordVectors] = {};
  for (Index i = 0, b = 0; i < k; i += block_steps, ++b) {
    const NarrowBlock block = panel.block(b);
    ByteSums sum[R][kWordVectors];
    add_block<Bits, R>(a, i / 4, block, ceil_div(min_of(block_steps, k - i), parts), sum);
    add_scaled(a, b, block, sum, total);
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kWordVectors; ++v) store(sums + r * sums_step + v * kLanes, total[r][v]);
}

template <int Bits>
inline void multiply_rows(const RoundedRows& a, Index rows, const NarrowPanel& panel, Index k,
                          float* sums, Index sums_step) {
  if (rows == kRowsAtOnce) return rounded_rows<Bits, kRowsAtOnce>(a, panel, k, sums, sums_step);
  for (Index r = 0; r < rows; ++r)
    rounded_rows<Bits, 1>(rows_from(a, r), panel, k, sums + r * sums_step, sums_step);
}

void multiply_rounded(const RoundedRows& a, Index rows, const float* panel, Index k,
                      const NarrowForm& form, float* sums, Index sums_step) noexcept {
  const NarrowPanel narrow(panel, form, k);
  if (ByteSums::kMostBits == 4 || form.bits == 4)
    multiply_rows<4>(a, rows, narrow, k, sums, sums_step);
  else
    multiply_rows<8>(a, rows, narrow, k, sums, sums_step);
}

constexpr RoundedProducts kRoundedProducts = {.rows = kRowsAtOnce,
                                              .most_bits = ByteSums::kMostBits,
                                              .round = round_row,
                                              .multiply = multiply_rounded};

}  // namespace
}  // namespace strata::kernels
