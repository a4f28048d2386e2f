#pragma once

#include "kernels/impl/int8_plane_rows.h"

/// Convolutions whose outputs sum up one channel each, where pairs of 16 bits are multiplied: the
/// image is the channel with its padding, a word for each place that an output can begin at, which
/// holds two neighbouring taps. Rows that outputs step over lie together, so that rows of outputs
/// are one line, with what lies between them: vectors run along it.
namespace strata::kernels {
namespace {

constexpr int kManyVectors = 8;  ///< of outputs, computed side by side
/// Lines end with a group of bytes, where a part of one is slow to store.
constexpr Index kLineStep = kLanes == 16 ? kLanes : kByteGroup;

/// Windows whose rows begin at each second place of theirs at most: there every word is that of a
/// place.
inline bool by_planes(const ConvShape& s) {
  return s.in_channels == 1 && s.out_channels <= 2 && s.window.stride[2] <= 2;
}

/// A prepared channel: planes of `stride[1]` phases, each of every so many rows. Words of nothing
/// but padding behind a row are those before the next one, where that makes no difference.
struct PairImage {
  const Window& window;
  Index shared;  ///< words behind a row that are the next one's
  Index width;   ///< from one row to the next
  Index phase_rows, depth;

  explicit PairImage(const Window& w)
      : window(w),
        shared(shared_words()),
        width(w.out[2] + last_word() - shared),
        phase_rows(ceil_div((w.out[1] - 1) * w.stride[1] + (w.kernel[1] - 1) * w.dilation[1] + 1,
                            w.stride[1])),
        depth((w.out[0] - 1) * w.stride[0] + (w.kernel[0] - 1) * w.dilation[0] + 1) {}

  Index plane() const { return window.stride[1] * phase_rows * width; }
  /// Words, with those that vectors run over.
  Index size() const { return round_up(depth * plane() + shared + kLineStep, 16); }
  /// Where the first output of a row finds word k of row (z, y) of its window.
  Index offset(Index z, Index y, Index k) const {
    const Index row = y * window.dilation[1], step = window.stride[1];
    return z * window.dilation[0] * plane() + (row % step * phase_rows + row / step) * width +
           word(k);
  }

 private:
  Index word(Index k) const { return kGroup * k * window.dilation[2] / window.stride[2]; }
  Index last_word() const { return word(row_words(window) - 1); }
  /// Those that begin in the padding behind a row, where the last tap has a word of its own: the
  /// one before it does not meet what follows the padding.
  Index shared_words() const {
    const Window& w = window;
    if (w.kernel[2] % kGroup == 0 || w.dilation[2] != 1 || w.stride[2] != 1) return 0;
    return max_of(min_of(w.pad[2], w.out[2] + last_word() - w.in[2] - w.pad[2]), 0);
  }
};

/// Where in a prepared channel the words of each step lie.
inline Index plane_offset_count(const ConvShape& s) noexcept { return plane_steps(s.window); }
inline void plane_offsets(const ConvShape& s, Index* offsets) noexcept {
  const PairImage image(s.window);
  for (Index z = 0; z < s.window.kernel[0]; ++z)
    for (Index y = 0; y < s.window.kernel[1]; ++y)
      for (Index k = 0; k < row_words(s.window); ++k) *offsets++ = image.offset(z, y, k);
}

inline Index planes_at_once(const ConvShape& s) noexcept {
  return images_at_once(PairImage(s.window).size(), s.groups);
}
inline Index planes_image_size(const ConvShape& s) noexcept {
  return images_size(PairImage(s.window).size(), s.groups);
}

/// Makes prepared channels, a column of vectors after the other from the last one on: what runs
/// over the end of a row is made later.
class PairColumns {
 public:
  explicit PairColumns(const Int8Image& image)
      : image_(image),
        layout_(image.shape.window),
        x_(static_cast<const std::uint8_t*>(image.x)),
        size_(image.shape.groups * volume(w_.in)),
        padding_(broadcast_word(pair(image.padding, image.padding))),
        flips_(broadcast_word(pair(flip_, flip_)) ^ padding_) {}

  void prepare(Word* out) const {
    for (Index group = 0; group < image_.shape.groups; ++group)
      for (Index j = 0; j < layout_.shared; j += kLanes)  // which the last row shares with none
        store_words(out + group * layout_.size() + layout_.depth * layout_.plane() + j, padding_);
    for (Index j = round_up(layout_.width, kLanes) - kLanes; j >= 0; j -= kLanes)
      for (Index z = 0; z < layout_.depth; ++z)
        for (Index phase = 0; phase < w_.stride[1]; ++phase) {
          Word* rows = out + z * layout_.plane() + phase * layout_.phase_rows * layout_.width + j;
          w_.stride[2] == 1 ? make_phase<1>(z, phase, j, rows) : make_phase<2>(z, phase, j, rows);
        }
  }

 private:
  /// Vectors of rows: the bytes of one begin `apart` after those of the one before.
  struct Rows {
    Index apart;
    Index count;
    Index place;  ///< in the row, of their first byte
    Vu inside;    ///< the bits of what is not padding
  };

  static Word pair(std::uint8_t first, std::uint8_t second) {
    return static_cast<Word>(right_part(first, 0) | right_part(second, 1));
  }

  /// A vector of each row of a phase, in all channels.
  template <int Stride>
  void make_phase(Index z, Index phase, Index j, Word* out) const {
    const Index iz = z - w_.pad[0], iy = phase - w_.pad[1], all = layout_.phase_rows;
    const Range there =
        iz >= 0 && iz < w_.in[0] ? places_inside(iy, w_.stride[1], w_.in[1], all) : Range{0, 0};
    const Index place = j * Stride - w_.pad[2];
    const Rows rows{w_.stride[1] * w_.in[2], there.end - there.begin, place, inside(place)};
    Index from = (iz * w_.in[1] + iy) * w_.in[2] + there.begin * rows.apart + place;
    for (Index i = 0; i < image_.shape.groups; ++i, from += volume(w_.in), out += layout_.size()) {
      pad_rows(there.begin, out);
      make_rows<Stride>(rows, from, out + there.begin * layout_.width);
      pad_rows(all - there.end, out + there.end * layout_.width);
    }
  }
  void pad_rows(Index count, Word* out) const {
    for (; count > 0; --count, out += layout_.width) store_words(out, padding_);
  }
  template <int Stride>
  void make_rows(const Rows& rows, Index from, Word* out) const {
    if (may_read<Stride>(from, (rows.count - 1) * rows.apart))
      return make_whole_rows<Stride>(rows, x_ + from, rows.count, out);
    for (Index i = 0; i < rows.count; ++i, from += rows.apart, out += layout_.width)
      may_read<Stride>(from, 0) ? make_whole_rows<Stride>(rows, x_ + from, 1, out)
                                : make_by_bytes(from, rows.place, out);
  }
  /// Whether all may be read that vectors read from byte `from` of the image to `last` bytes later.
  template <int Stride>
  bool may_read(Index from, Index last) const {
    return from >= 0 && size_ - from >= last + Stride * kLanes + w_.dilation[2];
  }
  template <int Stride>
  void make_whole_rows(const Rows& rows, const std::uint8_t* from, Index count, Word* out) const {
    const Index second = w_.dilation[2], apart = rows.apart, step = layout_.width;
    const Vu flips = flips_, padding = padding_, inside = rows.inside;
    for (; count > 0; --count, from += apart, out += step) {
      const Vu pairs = numbers<Stride>(from) | numbers<Stride>(from + second) << kPartBits;
      store_words(out, ((pairs ^ flips) & inside) ^ padding);
    }
  }
  template <int Stride>
  static Vu numbers(const std::uint8_t* from) {
    return Stride == 1 ? widened(from) : widened_even(from);
  }
  /// Which bits of words, the first of which begins at `place` of a row, are of the input.
  Vu inside(Index place) const {
    const Vi first =
        lane_numbers() * static_cast<std::int32_t>(w_.stride[2]) + static_cast<std::int32_t>(place);
    const auto is_inside = [&](Vi at) {
      return reinterpret_cast<Vu>((at >= 0) & (at < static_cast<std::int32_t>(w_.in[2])));
    };
    const Vi second = first + static_cast<std::int32_t>(w_.dilation[2]);
    return (is_inside(first) & 0xffffu) | (is_inside(second) << kPartBits);
  }
  /// Near the ends of what may be read.
  [[gnu::noinline]] void make_by_bytes(Index from, Index place, Word* out) const {
    const auto byte = [&](Index at) -> std::uint8_t {
      return place + at >= 0 && place + at < w_.in[2] ? x_[from + at] ^ flip_ : image_.padding;
    };
    for (Index i = 0; i < kLanes; ++i)
      out[i] = pair(byte(i * w_.stride[2]), byte(i * w_.stride[2] + w_.dilation[2]));
  }

  const Int8Image& image_;
  const PairImage layout_;
  const Window& w_ = layout_.window;
  const std::uint8_t* const x_;
  const Index size_;  ///< bytes that may be read
  const std::uint8_t flip_ = right_flip(image_.kind);
  const Vu padding_, flips_;
};

inline void prepare_planes(const Int8Image& image, Range planes, Range, Word* prepared) noexcept {
  if (planes.begin < planes.end) PairColumns(image).prepare(prepared);
}

class PairsConv : PlaneRows {
 public:
  explicit PairsConv(const Int8Conv& conv) : PlaneRows(conv, PairImage(conv.shape.window).size()) {}

  void convolve(Range rows) {
    end_ = output(rows.end);
    const Index columns = min_of(w_.out[2], kPlaneSums);
    const Index most = (kPlaneSums - columns) / layout_.width + 1;
    const Index step = columns < w_.out[2] ? 1 : min_of(most, w_.out[1]);
    const Part all{0, 0, 0, step, columns};
    const bool is_small = w_.out[0] == 1 && step == w_.out[1] && columns == w_.out[2];
    const Index at_once = is_small && !conv_.row_zeros ? kPlaneSums / length(all) : 1;
    for (Index row = rows.begin; row < rows.end; row += at_once)
      convolve_rows({row, min_of(row + at_once, rows.end)}, step, columns);
  }

 private:
  /// Some outputs of a channel: columns of rows of one plane.
  struct Part {
    Index z, y, x;
    Index rows, columns;
  };

  void convolve_rows(Range rows, Index step, Index columns) {
    for (Index z = 0; z < w_.out[0]; ++z)
      for (Index y = 0; y < w_.out[1]; y += step)
        for (Index x = 0; x < w_.out[2]; x += columns)
          convolve_part(rows,
                        {z, y, x, min_of(step, w_.out[1] - y), min_of(columns, w_.out[2] - x)});
  }
  /// The words of a line of sums.
  Index length(const Part& part) const {
    return round_up((part.rows - 1) * layout_.width + part.columns, kLineStep);
  }

  void convolve_part(Range rows, const Part& part) {
    const Index size = length(part);
    Word* line = sums_;
    for (Index row = rows.begin; row < rows.end; ++row, line += size)
      sum(row, weights(row), first_term(row), part, line);
    if (conv_.row_zeros) {
      sum(rows.begin, ones(rows.begin), 0, part, room_);
      add_patches();
    }
    finish_part<kLanes>(finish_, {rows, {0, size}, size, size}, sums_, sums_);
    const Index first = ((part.z * w_.out[1] + part.y) * w_.out[2] + part.x) * bytes_;
    const char* from = reinterpret_cast<const char*>(sums_);
    for (Index row = rows.begin; row < rows.end; ++row, from += size * bytes_)
      take_apart(from, part.rows, part.columns, layout_.width, output(row) + first, end_);
  }

  /// Sums of a row's channel by some weights.
  void sum(Index row, const Word* weights, Word first, const Part& part, Word* sums) const {
    const Word* from =
        image(row) + part.z * w_.stride[0] * layout_.plane() + part.y * layout_.width + part.x;
    constexpr Index many = kManyVectors * kLanes, some = many / 2;
    const Index size = length(part);
    Index i = 0;
    for (; i + many <= size; i += many)
      add_vectors<kManyVectors>(from + i, weights, first, sums + i);
    for (; i < size && size >= some; i += some) {
      const Index at = min_of(i, size - some);  // some may be computed twice
      add_vectors<kManyVectors / 2>(from + at, weights, first, sums + at);
    }
    for (; i < size; i += kLanes) add_vectors<1>(from + i, weights, first, sums + i);
  }
  template <int V>
  void add_vectors(const Word* from, const Word* weights, Word first, Word* sums) const {
    Vu sum[V];
#pragma GCC unroll 8
    for (Vu& s : sum) s = broadcast_word(first);
    for (Index i = 0; i < steps_; ++i) {
      const Word* words = from + conv_.offsets[i];
      const Vu weight = broadcast_word(weights[i]);
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v)
        sum[v] = add_products(sum[v], load_words(words + v * kLanes), weight);
    }
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) store_words(sums + v * kLanes, sum[v]);
  }

  const PairImage layout_{w_};
  const char* end_ = nullptr;  ///< of what is computed
};

/// Of several groups, all channels.
inline void convolve_planes(const Int8Conv& conv, Range channels, Range) noexcept {
  const ConvShape& s = conv.shape;
  PairsConv(conv).convolve({channels.begin, (s.groups - 1) * s.out_channels + channels.end});
}

}  // namespace
}  // namespace strata::kernels
