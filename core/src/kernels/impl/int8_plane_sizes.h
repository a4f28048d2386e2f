#pragma once

#include "kernels/impl/int8_words.h"

/// Convolutions whose outputs sum up one channel each, along the rows of its padded plane: their packed
/// weights, and how much of them is done at once.
namespace strata::kernels {
namespace {

constexpr Index kPlaneSums = 1024;  ///< finished together
/// Of small images, prepared together: a word of four bytes is as many places.
constexpr Index kPlaneWords = kGroup == 4 ? 2048 : 4096;

/// Words that a row of the window takes, and all rows.
inline Index row_words(const Window& w) { return ceil_div(w.kernel[2], kGroup); }
inline Index window_rows(const Window& w) { return w.kernel[0] * w.kernel[1]; }
inline Index plane_steps(const Window& w) { return window_rows(w) * row_words(w); }

/// A row of words for each channel, and one of ones.
inline Index planes_weights_size(const ConvShape& s) {
  return (s.out_channels + 1) * plane_steps(s.window);
}
[[gnu::cold]] inline void pack_plane_weights(const ConvShape& s, const std::uint8_t* weights,
                                             std::uint8_t flip, Word* packed) {
  const Index width = s.window.kernel[2], rows = window_rows(s.window);
  for (Index row = 0; row < s.out_channels * rows; ++row, weights += width)
    for (Index x = 0; x < width; x += kGroup)
      *packed++ = left_word(weights + x, 1, flip, min_of(kGroup, width - x));
  for (Index row = 0; row < rows; ++row)
    for (Index x = 0; x < width; ++x)
      packed[row * row_words(s.window) + x / kGroup] |=
          static_cast<Word>(left_part(1, static_cast<int>(x % kGroup)));
}

/// Groups whose images, each of so many words, are prepared together, one behind the other, and the words
/// of all; never less for larger images.
inline Index images_at_once(Index words, Index groups) {
  return max_of(min_of(kPlaneWords / words, groups), 1);
}
inline Index images_size(Index words, Index groups) {
  return max_of(words, min_of(groups * words, kPlaneWords));
}

}  // namespace
}  // namespace strata::kernels
