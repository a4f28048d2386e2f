#pragma once

#include "kernels/impl/int8_words.h"
#include "kernels/impl/pack_panel.h"

/// Rows of words of a left operand, on their way to a panel.
namespace strata::kernels {
namespace {

/// kLanes words as a left operand has them, of bytes next to each other.
inline Vu left_words(const std::uint8_t* p, std::uint8_t flip) {
  if constexpr (kGroup == 4) {
    Vu words;
    __builtin_memcpy(&words, p, sizeof words);
    return words ^ broadcast_word(static_cast<Word>(flip * 0x01010101u));
  } else {
    const Vu words = widened_words(p) ^ broadcast_word((flip ^ 0x80) * 0x00010001);
    return reinterpret_cast<Vu>(reinterpret_cast<Pairs>(words) - std::uint16_t{128});
  }
}

/// Calls `visit` with the vectors of words of some bytes of a row, the last padded with zeros;
/// returns the sum of the bytes as they are stored.
template <class Visit>
inline Word visit_row(const std::uint8_t* bytes, Index count, std::uint8_t flip,
                      const Visit& visit) {
  constexpr Index size = kGroup * kLanes;
  const Vu ones = broadcast_word(kGroup == 4 ? 0x01010101 : 0x00010001);
  std::uint8_t rest[size];
  Vu total{};
  for (Index i = 0; i < count; i += size) {
    const std::uint8_t* from = bytes + i;
    if (count - i < size) {
      for (Index j = 0; j < size; ++j) rest[j] = i + j < count ? from[j] : flip;  // which is 0
      from = rest;
    }
    const Vu words = left_words(from, flip);
    visit(words);
    total = add_products(total, ones, words);
  }
  Word sum = 0;
  for (int i = 0; i < kLanes; ++i)
    sum = static_cast<Word>(static_cast<std::uint32_t>(sum) + total[i]);
  return sum;
}

inline void int8_row_sums(const void* rows, Index count, Index size, ByteKind kind,
                          Word* sums) noexcept {
  const auto* bytes = static_cast<const std::uint8_t*>(rows);
  for (Index i = 0; i < count; ++i, bytes += size)
    sums[i] = visit_row(bytes, size, left_flip(kind), [](Vu) {});
}

/// Some steps of the rows of a panel.
class LeftBlock {
 public:
  static constexpr Index kBytes = 256;  ///< of a row
  static constexpr Index kSteps = kBytes / kGroup;

  /// Takes up to kBytes bytes of a row, and returns their sum as they are stored.
  Word take(Index row, const std::uint8_t* bytes, Index count, std::uint8_t flip) {
    Word* out = words_[row];
    return visit_row(bytes, count, flip, [&](Vu words) {
      store_words(out, words);
      out += kLanes;
    });
  }

  /// Packs the first steps of the first rows; they are turned as if they were floats, whose bits do
  /// not matter.
  void pack(Index rows, Index steps, Index width, Word* out) const {
    pack_panel({reinterpret_cast<const float*>(words_), kSteps, 1, rows, steps}, width,
               reinterpret_cast<float*>(out));
  }

 private:
  alignas(64) Word words_[kMaxTileRows][kSteps];
};

}  // namespace
}  // namespace strata::kernels
