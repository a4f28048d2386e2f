#pragma once

#include "kernels/impl/int8_conv.h"

/// Convolution of bytes as a product by an instruction that multiplies four at once, but sums pairs
/// of products in 16 bits. They hold a pair with any bytes of the image where its weights sum up to
/// 128 at most, as those of most pairs do. Of another pair one weight moves to a second step of its
/// channel, which meets the same words of the image, so sums are exact all the same.
namespace strata::kernels {
namespace {

/// Packed weights: those of `VectorSums` and the words that sum up what is there; the number of
/// second steps before each panel of channels, and of all; then the second steps.
struct QuadLayout {
  explicit QuadLayout(const ConvShape& s)
      : width(channel_rows(s.out_channels)),
        panels(ceil_div(s.out_channels, width)),
        steps(int8_image_steps(s)) {}

  Index width;  ///< channels of a panel
  Index panels;
  Index steps;

  Index words() const { return panels * width * steps; }
  Index counts_at() const { return words() + steps; }
  Index seconds_at() const { return counts_at() + panels + 1; }
};

/// The word of a channel of a panel, and which step it is that is met again.
struct SecondStep {
  Word channel;
  Word step;
  Word word;
};
constexpr Index kSecondWords = sizeof(SecondStep) / sizeof(Word);

struct SecondSteps {
  const SecondStep* begin;
  const SecondStep* end;
};

Index quad_weights_size(const ConvShape& s) noexcept {
  return QuadLayout(s).seconds_at() + kMaxTileRows;
}

/// Of each pair of weights of words that is too large for 16 bits the second one, where it is.
inline Vu too_large(Vu words) {
  typedef std::int16_t Sums __attribute__((vector_size(kVectorBytes)));
  constexpr std::int16_t kMost = INT16_MAX / 255;
  const auto sums = reinterpret_cast<Sums>(pair_products(broadcast_word(0x01010101), words));
  return words & reinterpret_cast<Vu>((sums > kMost) | (sums < -kMost)) & 0xff00ff00u;
}

inline bool is_zero(Vu words) {
  constexpr Vu none{};
  return __builtin_memcmp(&words, &none, sizeof none) == 0;
}

/// Calls `visit(i, weights)` for each packed word i of which weights are too large for their pairs.
template <class Visit>
inline void for_each_too_large(const QuadLayout& layout, const Word* packed, const Visit& visit) {
  for (Index i = 0; i < layout.words(); i += kLanes) {
    const Vu weights = too_large(load_words(packed + i));
    if (is_zero(weights)) continue;
    for (Index lane = 0; lane < min_of(kLanes, layout.words() - i); ++lane)
      if (weights[lane] != 0) visit(i + lane, static_cast<Word>(weights[lane]));
  }
}

/// Words that the second steps of packed weights take.
[[gnu::cold]] Index second_words(const ConvShape& s, const Word* packed) noexcept {
  Index count = 0;
  for_each_too_large(QuadLayout(s), packed, [&](Index, Word) { ++count; });
  return count * kSecondWords;
}

/// Moves to second steps, behind packed weights, what is too large for its pair.
[[gnu::cold]] void pack_seconds(const ConvShape& s, Word* packed) noexcept {
  const QuadLayout layout(s);
  Word* counts = packed + layout.counts_at();
  auto* seconds = reinterpret_cast<SecondStep*>(packed + layout.seconds_at());
  Word count = 0;
  Index panel = 0;
  for_each_too_large(layout, packed, [&](Index i, Word weights) {
    const Index step = i / layout.width;
    while (panel < step / layout.steps) counts[++panel] = count;
    seconds[count++] = {static_cast<Word>(i % layout.width), static_cast<Word>(step % layout.steps),
                        weights};
    packed[i] ^= weights;
  });
  while (panel < layout.panels) counts[++panel] = count;
}

/// Adds what second steps give to V vectors of sums of each channel of a panel, whose words of the
/// image begin at `image`.
template <int V>
inline void add_seconds(const SecondSteps& seconds, const Index* offsets, const Word* image,
                        Word* sums) {
  for (const SecondStep* second = seconds.begin; second < seconds.end; ++second) {
    Word* to = sums + second->channel * kChunk;
    const Word* from = image + offsets[second->step];
    const Vu word = broadcast_word(second->word);
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v, to += kLanes, from += kLanes)
      store_words(to, add_products(load_words(to), load_words(from), word));
  }
}

/// The sums of a chunk by words of four bytes.
class QuadSums {
 public:
  static constexpr Index kMostRows = VectorSums::kMostRows;

  QuadSums(const ConvShape& s, const ImageLayout& image) : layout_(s), firsts_(s, image) {}

  Index step() const { return firsts_.step(); }
  Index words() const { return firsts_.words(); }

  void compute(const ConvChunk& chunk, Range channels, Word* sums) const {
    firsts_.compute(chunk, channels, sums);
    const Int8Conv& conv = chunk.conv;
    const Word* counts = conv.weights + layout_.counts_at() + channels.begin / layout_.width;
    const auto* all = reinterpret_cast<const SecondStep*>(conv.weights + layout_.seconds_at());
    const SecondSteps seconds{all + counts[0], all + counts[1]};
    if (seconds.begin == seconds.end) return;
    const Word* image = conv.image + chunk.words.begin;
    const Index size = chunk.size();
    constexpr Index kAtOnce = 4 * kPanel;
    Index i = 0;
    for (; i + kAtOnce - kPanel < size; i += kAtOnce)
      add_seconds<kAtOnce / kLanes>(seconds, conv.offsets, image + i, sums + i);
    for (; i < size; i += kPanel)
      add_seconds<kPanelVectors>(seconds, conv.offsets, image + i, sums + i);
  }

 private:
  QuadLayout layout_;
  VectorSums firsts_;
};

constexpr Int8ConvMethod make_quads_method() {
  Int8ConvMethod out = kByProduct;
  out.weights_size = quad_weights_size;
  out.more_weights = second_words;
  out.pack_more = pack_seconds;
  out.convolve = int8_convolve<QuadSums>;
  return out;
}

}  // namespace
}  // namespace strata::kernels
