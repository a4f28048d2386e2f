#pragma once

#include "kernels/impl/int8_bytes.h"
#include "kernels/impl/int8_finish.h"

/// Convolutions whose outputs sum up one channel each, along the rows of its padded plane: their
/// packed weights, how much of them is done at once, and where each row of them lies.
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
inline Index planes_weights_size(const ConvShape& s) noexcept {
  return (s.out_channels + 1) * plane_steps(s.window);
}
[[gnu::cold]] inline void pack_plane_weights(const ConvShape& s, const void* weights, ByteKind kind,
                                             Word* packed) noexcept {
  const auto* bytes = static_cast<const std::uint8_t*>(weights);
  const Index width = s.window.kernel[2], rows = window_rows(s.window);
  for (Index row = 0; row < s.out_channels * rows; ++row, bytes += width)
    for (Index x = 0; x < width; x += kGroup)
      *packed++ = left_word(bytes + x, 1, left_flip(kind), min_of(kGroup, width - x));
  for (Index row = 0; row < rows; ++row)
    for (Index x = 0; x < width; ++x)
      packed[row * row_words(s.window) + x / kGroup] |=
          static_cast<Word>(left_part(1, static_cast<int>(x % kGroup)));
}

/// Groups whose images, each of so many words, are prepared together, one behind the other, and the
/// words of all.
inline Index images_at_once(Index words, Index groups) {
  return max_of(min_of(kPlaneWords / max_of(words, 1), groups), 1);
}
inline Index images_size(Index words, Index groups) {
  return words * images_at_once(words, groups);
}

/// Sums of some rows, and where those lie: rows are the channels of all groups, of which each has
/// one or two.
class PlaneRows {
 protected:
  PlaneRows(const Int8Conv& conv, Index image_size)
      : conv_(conv), finish_(conv.finish), image_size_(image_size) {
    finish_.row_add = nullptr;  // sums begin with it
  }

  Index group(Index row) const { return row >> (conv_.shape.out_channels - 1); }
  Index channel(Index row) const { return row & (conv_.shape.out_channels - 1); }
  const Word* image(Index row) const { return conv_.image + group(row) * image_size_; }
  const Word* weights(Index row) const { return group_weights(row) + channel(row) * steps_; }
  /// By which a patch is summed up.
  const Word* ones(Index row) const {
    return group_weights(row) + conv_.shape.out_channels * steps_;
  }
  Word first_term(Index row) const { return conv_.finish.row_add ? conv_.finish.row_add[row] : 0; }
  char* output(Index row) const { return static_cast<char*>(conv_.y) + row * size_ * bytes_; }

  /// What is added to finished sums: the sums of patches in `room_`.
  void add_patches() { finish_.terms[0] = {conv_.row_zeros, room_}; }

  /// Copies rows of outputs out of a finished line, where they lie `apart`, by blocks that may run
  /// over into those before `end`, which come later.
  void take_apart(const char* line, Index rows, Index columns, Index apart, char* out,
                  const char* end) const {
    constexpr Index block = 16;
    const Index size = columns * bytes_, line_step = apart * bytes_, step = w_.out[2] * bytes_;
    const Index whole = end - out - (rows - 1) * step >= round_up(size, block) ? rows : 0;
    for (Index y = 0; y < whole; ++y, line += line_step, out += step)
      for (Index i = 0; i < size; i += block) copy_block<block>(line + i, out + i);
    for (Index y = whole; y < rows; ++y, line += line_step, out += step)
      copy_bytes<block>(line, out, size, end);
  }

  const Int8Conv& conv_;
  const Window& w_ = conv_.shape.window;
  SumFinish finish_;
  const Index weights_size_ = planes_weights_size(conv_.shape);  ///< of a group
  const Index steps_ = plane_steps(w_), bytes_ = output_width(conv_.finish.output);
  const Index size_ = volume(w_.out);
  alignas(64) Word sums_[kPlaneSums + kSumsSlack];
  alignas(64) Word room_[kPlaneSums + kSumsSlack];

 private:
  const Word* group_weights(Index row) const { return conv_.weights + group(row) * weights_size_; }

  const Index image_size_;
};

}  // namespace
}  // namespace strata::kernels
