#pragma once

#include "kernels/impl/int8_near.h"
#include "kernels/impl/int8_planes.h"
#include "kernels/impl/wide.h"

/// Convolutions whose outputs sum up one channel each, of images with short rows: a vector holds
/// one place of as many channels as it has lanes. A word holds four neighbours in a row of its
/// channel, one from each place on, so that an output reads a word for each row of its window.
namespace strata::kernels {
namespace {

constexpr Index kLaneRow = 30;         ///< outputs of a row, at most
constexpr Index kLaneSteps = 16;       ///< words of a window, at most
constexpr Index kLaneWords = 1 << 15;  ///< of an image, at most
constexpr Index kLanePlaces = kPlaneSums / kLanes;
constexpr Index kPlacesAtOnce = 4;

/// A prepared image: for each row of the padded plane the words from each place on.
struct LaneImage {
  Index width, height;

  explicit LaneImage(const Window& w)
      : width((w.out[2] - 1) * w.stride[2] + (row_words(w) - 1) * kGroup + 1),
        height(plane_height(w)) {}

  /// With the words that blocks run over, and what sums of several places read.
  Index size() const { return (height * width + kLanes + 2 * kPlacesAtOnce) * kLanes; }
};

/// Groups beyond a multiple of the lanes go by planes.
inline bool by_lanes(const ConvShape& s) noexcept {
  const Window& w = s.window;
  return s.groups >= kLanes && s.out_channels == 1 && w.out[0] == 1 && w.in[0] == 1 &&
         w.out[2] <= kLaneRow && plane_steps(w) <= kLaneSteps && LaneImage(w).size() <= kLaneWords;
}

/// What holds four rows of words in each of its parts of 16 bytes, for what holds their columns.
inline void turn_parts(Vu (&v)[4]) {
  const auto low = [](Vu a, Vu b) {
    return _mm512_unpacklo_epi32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b));
  };
  const auto high = [](Vu a, Vu b) {
    return _mm512_unpackhi_epi32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b));
  };
  const __m512i a = low(v[0], v[1]), b = low(v[2], v[3]);
  const __m512i c = high(v[0], v[1]), d = high(v[2], v[3]);
  v[0] = reinterpret_cast<Vu>(_mm512_unpacklo_epi64(a, b));
  v[1] = reinterpret_cast<Vu>(_mm512_unpackhi_epi64(a, b));
  v[2] = reinterpret_cast<Vu>(_mm512_unpacklo_epi64(c, d));
  v[3] = reinterpret_cast<Vu>(_mm512_unpackhi_epi64(c, d));
}

/// Makes the words of a prepared image from blocks of 16 bytes of each channel.
class LaneWords {
 public:
  explicit LaneWords(const Int8Image& image)
      : w_(image.shape.window),
        channel_size_(volume(w_.in)),
        flips_(Vu{} + right_flip(image.kind) * 0x01010101u),
        padding_((Vu{} + image.padding * 0x01010101u) ^ flips_) {}

  void prepare(const std::uint8_t* x, Word* out) const {
    const LaneImage layout(w_);
    // The words from the last places on run over the end of a block, where they have zeros. Those
    // that windows read as far as that are the next block's.
    const Index step = kBlockBytes + 1 - min_of(w_.kernel[2], kGroup);
    for (Index y = 0; y < layout.height; ++y, out += layout.width * kLanes) {
      const Index iy = y - w_.pad[1];
      const bool is_there = iy >= 0 && iy < w_.in[1];
      for (Index i = 0; i < layout.width; i += step) {
        const Index first = i - w_.pad[2];
        const std::uint64_t inside = low_bits(w_.in[2] - first) & ~low_bits(-first);
        make(is_there ? x + iy * w_.in[2] + first : x, is_there ? inside : 0, layout.width - i,
             out + i * kLanes);
      }
    }
  }

 private:
  static constexpr Index kBlockBytes = 16;

  /// The words from some places on, of blocks that have bytes where a bit is set.
  [[gnu::noinline]] void make(const std::uint8_t* from, std::uint64_t inside, Index places,
                              Word* out) const {
    const auto block = [=, size = channel_size_,
                        padding = reinterpret_cast<__m512i>(padding_)](int channel) {
      return _mm_mask_loadu_epi8(_mm512_castsi512_si128(padding), static_cast<__mmask16>(inside),
                                 from + channel * size);
    };
    Vu words[4];
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) {
      __m512i row = _mm512_castsi128_si512(block(r));
      row = _mm512_inserti32x4(row, block(r + 4), 1);
      row = _mm512_inserti32x4(row, block(r + 8), 2);
      row = _mm512_inserti32x4(row, block(r + 12), 3);
      words[r] = reinterpret_cast<Vu>(row) ^ flips_;
    }
    turn_parts(words);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i, out += 4 * kLanes) {
      if (4 * i >= places) return;
      const Vu word = words[i], next = i < 3 ? words[i + 1] : Vu{};
      store_words(out, word);
      store_words(out + kLanes, word >> 8 | next << 24);
      store_words(out + 2 * kLanes, word >> 16 | next << 16);
      store_words(out + 3 * kLanes, word >> 24 | next << 8);
    }
  }

  const Window& w_;
  const Index channel_size_;
  const Vu flips_, padding_;
};

/// A number of each channel, or zeros where there are none.
inline Vf lanes_of(const Stretched<float>& values) {
  if (!values.data) return Vf{};
  return values.row_step ? load(values.data) : broadcast(*values.data);
}
inline Vf lanes_of(const Stretched<double>& values) {
  if (!values.data) return Vf{};
  if (!values.row_step) return broadcast(static_cast<float>(*values.data));
  return narrow({_mm512_loadu_pd(values.data), _mm512_loadu_pd(values.data + kWideLanes)});
}

/// Bytes of places, each of all channels, to channels that lie `apart`. Reads whole blocks of 16
/// places.
inline void store_channels(const std::uint8_t* bytes, Index places, Index apart, std::uint8_t* y) {
  constexpr Index block = 16;
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i turned =
      _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
  for (Index i = 0; i < places; i += block, y += block) {
    const auto there = static_cast<__mmask16>(low_bits(places - i));
    Vu words[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k, bytes += kBlock)
      words[k] = reinterpret_cast<Vu>(
          _mm512_shuffle_epi8(_mm512_permutexvar_epi32(order, _mm512_loadu_si512(bytes)), turned));
    turn_parts(words);
    std::uint8_t* out = y;
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r, out += apart) {
      const auto rows = reinterpret_cast<__m512i>(words[r]);
      _mm_mask_storeu_epi8(out, there, _mm512_castsi512_si128(rows));
      _mm_mask_storeu_epi8(out + 4 * apart, there, _mm512_extracti32x4_epi32(rows, 1));
      _mm_mask_storeu_epi8(out + 8 * apart, there, _mm512_extracti32x4_epi32(rows, 2));
      _mm_mask_storeu_epi8(out + 12 * apart, there, _mm512_extracti32x4_epi32(rows, 3));
    }
  }
}

/// All outputs of as many groups as there are lanes. Their sums are rows of places, so what numbers
/// `finish_` has of each channel go along columns.
class LanesConv : PlaneRows {
 public:
  explicit LanesConv(const Int8Conv& conv) : PlaneRows(conv, 0) {
    const auto channels =
        reinterpret_cast<__m512i>(lane_numbers() * static_cast<int>(weights_size_));
    for (Index i = 0; i < steps_; ++i)
      _mm512_store_si512(weights_ + i * kLanes,
                         _mm512_i32gather_epi32(channels, weights(0) + i, sizeof(Word)));
    turn(finish_.scale);
    turn(finish_.bias);
    turn(finish_.divisor);
    turn(finish_.factor);
    turn(finish_.offset);
  }

  void convolve() {
    const Index columns = w_.out[2], at_once = kLanePlaces / columns;
    const Vu first = conv_.finish.row_add ? load_words(conv_.finish.row_add) : Vu{};
    for (Index y = 0; y < w_.out[1]; y += at_once) {
      const Index rows = min_of(at_once, w_.out[1] - y);
      const Word* image = conv_.image + y * w_.stride[1] * layout_.width * kLanes;
      sum(image, weights_, first, rows, sums_);
      if (conv_.row_zeros) sum_patches(image, rows);
      finish(rows * columns, static_cast<char*>(conv_.y) + y * columns * bytes_);
    }
  }

 private:
  /// What goes along rows goes along columns.
  template <class T>
  static void turn(Stretched<T>& values) {
    values = {values.data, values.column_step, values.row_step};
  }

  /// Sums of rows of places, some of them side by side. Those behind a row run over into the next
  /// one, which is written later.
  [[gnu::noinline]] void sum(const Word* image, const Word* weights, Vu first, Index rows,
                             Word* sums) const {
    const Index step = w_.stride[2] * kLanes, row = layout_.width * kLanes, words = row_words(w_);
    for (; rows > 0; --rows, image += w_.stride[1] * row, sums += w_.out[2] * kLanes)
      for (Index x = 0; x < w_.out[2]; x += kPlacesAtOnce) {
        Vu sum[kPlacesAtOnce] = {first, first, first, first};
        const Word *weight = weights, *line = image + x * step;
        for (Index ky = 0; ky < w_.kernel[1]; ++ky, line += w_.dilation[1] * row)
          for (Index k = 0; k < words; ++k, weight += kLanes) {
            const Vu w = load_words(weight);
            const Word* at = line + k * kGroup * kLanes;
#pragma GCC unroll 4
            for (int i = 0; i < kPlacesAtOnce; ++i)
              sum[i] = add_products(sum[i], load_words(at + i * step), w);
          }
#pragma GCC unroll 4
        for (int i = 0; i < kPlacesAtOnce; ++i) store_words(sums + (x + i) * kLanes, sum[i]);
      }
  }
  [[gnu::noinline, gnu::cold]] void sum_patches(const Word* image, Index rows) {
    alignas(64) Word weights[kLaneSteps * kLanes];
    for (Index i = 0; i < steps_; ++i)
      store_words(weights + i * kLanes, broadcast_word(ones(0)[i]));
    sum(image, weights, Vu{}, rows, room_);
    const Vu zeros = load_words(conv_.row_zeros);
    for (Index i = 0; i < rows * w_.out[2] * kLanes; i += kLanes)
      store_words(sums_ + i, load_words(sums_ + i) + zeros * load_words(room_ + i));
  }

  /// Some places from `first` on, as rows whose columns are channels.
  [[gnu::noinline, gnu::cold]] void finish_exactly(Index first, Index places, void* out) {
    finish_part<kLanes>(finish_, {{first, first + places}, {0, kLanes}, kLanes, kLanes},
                        sums_ + first * kLanes, out);
  }
  void finish(Index places, char* y) {
    if (bytes_ > 1) {
      finish_exactly(0, places, sums_);
      return store_words_of(places, reinterpret_cast<Word*>(y));
    }
    auto* bytes = reinterpret_cast<std::uint8_t*>(room_);
    if (!any(~near_.hold))
      finish_nearly(places, bytes);
    else
      finish_exactly(0, places, bytes);
    store_channels(bytes, places, size_, reinterpret_cast<std::uint8_t*>(y));
  }
  void finish_nearly(Index places, std::uint8_t* bytes) {
    const auto near = [sums = sums_, scale = near_.scale, shift = near_.shift](Index i) {
      return fma(to_float(reinterpret_cast<Vi>(load_words(sums + i))), scale, shift);
    };
    const auto write_exactly = [&](Index i) {
      const Index first = i / kLanes;
      finish_exactly(first, min_of(places - first, kByteGroup / kLanes), bytes + i);
    };
    store_nearest(places * kLanes, {finish_.zero, finish_.low, finish_.high}, bytes, near_.middle,
                  near, write_exactly);
  }
  [[gnu::noinline, gnu::cold]] void store_words_of(Index places, Word* y) const {
    for (Index lane = 0; lane < kLanes; ++lane, y += size_)
      for (Index i = 0; i < places; ++i) y[i] = sums_[i * kLanes + lane];
  }

  const LaneImage layout_{w_};
  const NearNumbers<Vf> near_ =
      near_numbers<Vf>(conv_.finish, [](const auto& values) { return lanes_of(values); });
  alignas(64) Word weights_[kLaneSteps * kLanes];
};

inline Index lanes_image_size(const ConvShape& s) noexcept {
  if (!by_lanes(s)) return planes_image_size(s);
  return max_of(LaneImage(s.window).size(), (kLanes - 1) * plane_image_size(s));
}
inline Index lanes_at_once(const ConvShape& s) noexcept {
  return by_lanes(s) ? kLanes : planes_at_once(s);
}
inline void prepare_lanes(const Int8Image& image, Range planes, Range parts,
                          Word* prepared) noexcept {
  if (!by_lanes(image.shape)) return prepare_planes(image, planes, parts, prepared);
  if (planes.begin < planes.end)
    LaneWords(image).prepare(static_cast<const std::uint8_t*>(image.x), prepared);
}
inline void convolve_lanes(const Int8Conv& conv, Range channels, Range parts) noexcept {
  if (!by_lanes(conv.shape)) return convolve_planes(conv, channels, parts);
  if (channels.begin < channels.end) LanesConv(conv).convolve();
}

/// By planes, but for what goes so.
constexpr Int8ConvMethod with_lanes(Int8ConvMethod planes) {
  planes.image_size = lanes_image_size;
  planes.prepare_image = prepare_lanes;
  planes.groups_at_once = lanes_at_once;
  planes.convolve = convolve_lanes;
  planes.lies_across_channels = by_lanes;
  return planes;
}

}  // namespace
}  // namespace strata::kernels
