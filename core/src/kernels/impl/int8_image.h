#pragma once

#include "kernels/impl/int8_bytes.h"
#include "kernels/impl/int8_tile.h"

/// Images prepared for convolution: padded, and taken apart so that what each step of the sum reads
/// for neighbouring outputs are neighbouring words. An image is planes of words, one for each group
/// of channels and each phase of the strides; where that takes fewer steps, a word holds inputs of
/// one channel that neighbouring taps of a row meet.
///
/// A plane is made by strips, first of bytes, then of words. Outputs are numbered by the words of a
/// plane, so a few of them, at the ends of rows, are not outputs.
///
/// The outputs are cut into parts, for which the words that they read can be prepared by themselves.
namespace strata::kernels {
namespace {

/// How outputs are cut into parts: each is whole panels, at most a chunk.
struct ImageParts {
  Index words;  ///< from that of the first output to past the last
  Index panels;
  Index count;

  /// The first word of a part.
  Index begin_of(Index part) const { return min_of(part * panels / count * kPanel, words); }
};

struct ImageLayout {
  bool slides = false;  ///< words hold inputs of one channel, ..
  bool shares = false;  ///< .. which lie side by side in one strip of bytes
  Index row_planes;     ///< a unit's: one, or one for each tap along a row, as wide as the output
  Index step;           ///< between the bytes of neighbouring words: 2 reads strips of all bytes
  Index extent[3];      ///< of a plane, in words
  Index plane_size;     ///< words from one plane to the next
  Index phases[3];
  Index units;      ///< groups of channels, or channels times groups of taps along a row
  Index unit_taps;  ///< steps for each unit
  ImageParts parts;

  Index phase_count() const { return volume(phases); }
  Index planes() const { return units * row_planes * phase_count(); }
  Index unit_of(Index plane) const { return plane / (row_planes * phase_count()); }
  /// The tap along a row that is the first of a plane.
  Index tap_of(Index plane) const { return plane / phase_count() % row_planes; }
  Index steps() const { return units * unit_taps; }
};

inline Index row_groups(const Window& w) { return ceil_div(w.kernel[2], kGroup); }

inline bool has_phases(const Window& w, int axis) {
  return w.kernel[axis] > 1 && w.dilation[axis] % w.stride[axis] != 0;
}
/// How far the words that the last tap along an axis meets lie behind those of the first.
inline Index reach(const Window& w, int axis) {
  return w.kernel[axis] == 1 ? 0 : (w.kernel[axis] - 1) * w.dilation[axis] / w.stride[axis];
}

/// Whether preparing rows for each tap along them takes less time than is lost on words that are
/// not outputs, of which there are as many between rows as taps reach.
[[gnu::noinline]] inline bool saves_outputs(const ConvShape& s) {
  constexpr Index kWordTime = 32;  // of a word, in products of one with that of a channel
  const Window& w = s.window;
  if (w.kernel[2] == 1) return false;
  const Index rows = (w.out[0] - 1) * (w.out[1] + reach(w, 1)) + w.out[1];
  const Index wide = w.out[2] + reach(w, 2), phases = has_phases(w, 2) ? w.stride[2] : 1;
  const Index units = ceil_div(s.in_channels, kGroup), steps = units * volume(w.kernel);
  const Index products =
      products_of((rows - 1) * wide + w.out[2], steps) - products_of(rows * w.out[2], steps);
  const Index lost = products * kLanes / kMaxTileRows * s.out_channels;
  const Index words = (w.kernel[2] * w.out[2] - phases * wide) * (rows + reach(w, 1));
  return rows > 1 && lost > units * words * kWordTime;
}

/// Words that outputs take: from the first to past the last.
inline Index output_words(const ConvShape& s, const ImageLayout& layout) {
  const Index* e = layout.extent;
  const Index* out = s.window.out;
  return ((out[0] - 1) * e[1] + out[1] - 1) * e[2] + out[2];
}

inline ImageParts image_parts(const ConvShape& s, const ImageLayout& layout) {
  constexpr Index kFewPanels = 4;  // halves of which are uneven
  const Index words = output_words(s, layout), panels = ceil_div(words, kPanel);
  const Index chunks = ceil_div(words, kChunk);
  if (chunks == 1 && panels >= kFewPanels) return {words, panels, 2};
  return {words, panels, min_of(even_tasks(chunks, channel_panels(s.out_channels)), panels)};
}

[[gnu::noinline]] inline ImageLayout image_layout(const ConvShape& s) {
  const Window& w = s.window;
  ImageLayout out;
  const Index apart = ceil_div(s.in_channels, kGroup) * w.kernel[2];
  const Index sliding = s.in_channels * row_groups(w);
  out.slides = sliding < apart;
  out.step = w.stride[2] == 2 ? 2 : 1;
  out.shares = out.slides && w.stride[2] == out.step && w.dilation[2] == 1 &&
               out.step * w.out[2] + kGroup - 1 <= kStrip;
  out.row_planes = !out.slides && saves_outputs(s) ? w.kernel[2] : 1;
  out.units = out.slides ? sliding : ceil_div(s.in_channels, kGroup);
  out.unit_taps = w.kernel[0] * w.kernel[1] * (out.slides ? 1 : w.kernel[2]);
  for (int i = 0; i < 3; ++i) {
    const bool is_taken = (out.slides || out.row_planes > 1) && i == 2;
    out.phases[i] = has_phases(w, i) && !is_taken ? w.stride[i] : 1;
    out.extent[i] = w.out[i] + (is_taken ? 0 : reach(w, i));
  }
  out.parts = image_parts(s, out);
  // Of a pointwise image an odd number of cache lines, lest the words of all steps share places of
  // a cache.
  const Index size = volume(out.extent);
  out.plane_size = is_pointwise(w) ? round_up(size, kPanel) + kPanel / 2 : size;
  return out;
}

/// Outputs are computed in whole panels, which read past the last plane.
inline Index int8_image_size(const ConvShape& s) noexcept {
  const ImageLayout layout = image_layout(s);
  return round_up(layout.planes() * layout.plane_size + kPanel, 16);
}

inline Index int8_image_planes(const ConvShape& s) noexcept { return image_layout(s).planes(); }
inline Index int8_image_steps(const ConvShape& s) noexcept { return image_layout(s).steps(); }

/// What the parts of a word hold: those of a plane of words.
struct WordSource {
  Index channel[kGroup];  ///< -1 for zeros
  Index tap[kGroup];      ///< along the row; 0 unless the image slides
};

inline WordSource word_source(const ConvShape& s, const ImageLayout& layout, Index unit) {
  WordSource out;
  const Index groups = row_groups(s.window);
  for (int e = 0; e < kGroup; ++e) {
    out.tap[e] = layout.slides ? unit % groups * kGroup + e : 0;
    const Index channel = layout.slides ? unit / groups : unit * kGroup + e;
    const bool is_there = channel < s.in_channels && out.tap[e] < s.window.kernel[2];
    out.channel[e] = is_there ? channel : -1;
  }
  return out;
}

/// Where the bytes of a channel for a tap along the row come from that are a part of the words of a
/// plane, in rows of `width`.
[[gnu::noinline]] inline ByteSource byte_source(const Int8Image& image, const ImageLayout& layout,
                                                Index plane, Index channel, Index tap,
                                                Index width) {
  const Window& w = image.shape.window;
  ByteSource out;
  const auto* x = static_cast<const std::uint8_t*>(image.x);
  out.plane = x + channel * volume(w.in);
  out.end = x + image.shape.in_channels * volume(w.in);
  out.padding = static_cast<std::uint8_t>(image.padding ^ right_flip(image.kind));
  Index phase = plane % layout.phase_count();
  for (int i = 2; i >= 0; --i) {
    out.first[i] = phase % layout.phases[i] - w.pad[i];
    phase /= layout.phases[i];
    out.in[i] = w.in[i];
    out.stride[i] = w.stride[i];
    out.extent[i] = layout.extent[i];
  }
  out.first[2] += (layout.tap_of(plane) + tap) * w.dilation[2];
  out.stride[2] /= layout.step;
  out.extent[2] = width;
  out.inside = places_inside(out.first[2], out.stride[2], w.in[2], width);
  return out;
}

/// Whether a plane is the channel as it lies.
inline bool is_whole(const ByteSource& s) {
  for (int i = 0; i < 3; ++i)
    if (s.first[i] != 0 || s.stride[i] != 1 || s.extent[i] != s.in[i]) return false;
  return true;
}

inline void interleave_bytes(const ByteRows& rows, Index step, Index n, Word* out) {
  step == 1 ? interleave<1>(rows, n, out) : interleave<2>(rows, n, out);
}

/// Whether planes of a unit hold the same rows, each from some bytes further on.
inline bool shifts_rows(const Window& w, const ImageLayout& layout) {
  return layout.row_planes > 1 && w.stride[2] == layout.step &&
         (w.kernel[2] - 1) * w.dilation[2] <= kStripSlack / 2 &&
         layout.step * layout.extent[2] <= kStrip - kStripSlack;
}

/// Copies rows of `size` words, `step` apart, to rows that lie side by side. What is written behind
/// a row is overwritten by those that follow.
inline void copy_word_rows(const Word* from, Index step, Index size, Index rows, Word* out) {
  for (Index left = rows * size; left > 0; left -= size, from += step, out += size)
    for (Index i = 0; i < size; i += kLanes) {
      const Vu words = load_words(from + i);
      left - i >= kLanes ? store_words(out + i, words)
                         : store_first_words(out + i, words, left - i);
    }
}

/// The bytes of the parts of words: a strip for each part that is there.
struct ByteStrips {
  alignas(64) std::uint8_t strip[kGroup][kStrip + kStripSlack];
  ByteSource source[kGroup];
  bool is_there[kGroup] = {};

  /// Those bytes of each part; `in_place` where they lie in the image as they do in a strip.
  ByteRows rows(Range bytes, bool in_place, std::uint8_t flip) {
    ByteRows out{{}, flip};
    for (int e = 0; e < kGroup; ++e) {
      if (!is_there[e]) continue;
      const bool lies_there = in_place && is_whole(source[e]);
      out.row[e] = lies_there ? source[e].plane + bytes.begin : strip[e];
      if (!lies_there) fill_strip(source[e], bytes, strip[e]);
    }
    return out;
  }
};

/// Some words of the first of some planes, and of each that follows `apart` others: those that hold
/// the same rows. By strips of words, made of strips of bytes in rows as wide as all planes need.
inline void prepare_strips(const Int8Image& image, const ImageLayout& layout, Range planes,
                           Index apart, Range words, Word* prepared) {
  ByteStrips strips;
  alignas(64) Word wide[kStrip + kLanes];
  const Index size = layout.extent[2], step = layout.step;
  const Index dilation = image.shape.window.dilation[2];
  const Index taps = layout.tap_of(planes.end - 1) - layout.tap_of(planes.begin);
  const Index further = taps * dilation;
  const bool cuts = further > 0;
  const Index width = round_up(step * size + further, step);
  const Range rows_of_words{words.begin / size, ceil_div(words.end, size)};
  const Range bytes = cuts ? Range{rows_of_words.begin * width, rows_of_words.end * width}
                           : Range{words.begin * step, words.end * step};
  const Index at_once = cuts ? kStrip / width * width : kStrip;
  const WordSource source = word_source(image.shape, layout, layout.unit_of(planes.begin));
  for (int e = 0; e < kGroup; ++e) {
    strips.is_there[e] = source.channel[e] >= 0;
    if (!strips.is_there[e]) continue;
    ByteSource& own = strips.source[e];
    if (e == 0 || layout.slides) {
      own = byte_source(image, layout, planes.begin, source.channel[e], source.tap[e], width);
    } else {
      own = strips.source[0];
      own.plane += (source.channel[e] - source.channel[0]) * volume(image.shape.window.in);
    }
  }
  for (Index begin = bytes.begin; begin < bytes.end; begin += at_once) {
    const Index end = min_of(begin + at_once, bytes.end);
    ByteRows rows = strips.rows({begin, end}, !cuts && step == 1, right_flip(image.kind));
    for (Index plane = planes.begin; plane < planes.end; plane += apart) {
      Word* out = prepared + plane * layout.plane_size;
      interleave_bytes(rows, step, (end - begin) / step, cuts ? wide : out + begin / step);
      if (!cuts) continue;
      copy_word_rows(wide, width / step, size, (end - begin) / width, out + begin / width * size);
      for (int e = 0; e < kGroup; ++e)
        if (rows.row[e]) rows.row[e] += dilation;
    }
  }
}

/// Some words of a plane of a pointwise image, the parts of which are channels as they lie.
inline void prepare_pointwise_plane(const Int8Image& image, Index plane, Range words, Word* out) {
  const Index size = volume(image.shape.window.in), first = plane * kGroup;
  ByteRows rows{{}, right_flip(image.kind)};
  for (int e = 0; e < kGroup && first + e < image.shape.in_channels; ++e)
    rows.row[e] = static_cast<const std::uint8_t*>(image.x) + (first + e) * size + words.begin;
  interleave<1>(rows, words.end - words.begin, out);
}

/// kLanes words of kGroup bytes next to each other; those of neighbouring words lie `Step` apart.
/// May read 2 kLanes + 16 bytes.
template <int Step>
inline Vu sliding_vector(const std::uint8_t* p) {
#if defined(__AVX512F__)
  if constexpr (kGroup == 4 && Step == 1) {
    const __m512i bytes =
        _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    const __m512i near = _mm512_setr_epi32(0, 1, 0, 0, 1, 2, 0, 0, 2, 3, 0, 0, 3, 4, 0, 0);
    const __m512i order =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6));
    return reinterpret_cast<Vu>(_mm512_shuffle_epi8(_mm512_permutexvar_epi32(near, bytes), order));
  }
#elif defined(__AVX2__)
  if constexpr (kGroup == 4 && Step == 1) {
    const __m256i bytes =
        _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    const __m256i near = _mm256_setr_epi32(0, 1, 0, 0, 1, 2, 0, 0);
    const __m256i order =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6));
    return reinterpret_cast<Vu>(
        _mm256_shuffle_epi8(_mm256_permutevar8x32_epi32(bytes, near), order));
  }
#endif
  Vu words{};
#pragma GCC unroll 4
  for (int e = 0; e < kGroup; ++e)
    words |= (Step == 1 ? widened(p + e) : widened_even(p + e)) << (e * kPartBits);
  return words;
}

/// out[i] = the word of bytes Step * i and those behind it, 0 <= i < n.
template <int Step>
inline void slide(const std::uint8_t* bytes, std::uint8_t flip, Index n, Word* out) {
  std::uint32_t flips = 0;
  for (int e = 0; e < kGroup; ++e) flips |= right_part(flip, e);
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes)
    store_words(out + i, sliding_vector<Step>(bytes + Step * i) ^ flips);
  if (i == n) return;
  store_first_words(out + i, sliding_vector<Step>(bytes + Step * i) ^ flips, n - i);
}

/// The rows of some words of a plane all parts of whose words lie in one strip of bytes, row after
/// row. What has no tap meets weights of zero, so it may be anything.
inline void prepare_shared_plane(const Int8Image& image, const ImageLayout& layout, Index plane,
                                 Range words, Word* out) {
  alignas(64) std::uint8_t strip[kStrip + kStripSlack];
  const WordSource source = word_source(image.shape, layout, layout.unit_of(plane));
  const Index width = layout.step * layout.extent[2] + kGroup - 1, at_once = kStrip / width;
  const ByteSource bytes =
      byte_source(image, layout, plane, source.channel[0], source.tap[0], width);
  const Index size = layout.extent[2];
  const Range rows{words.begin / size, ceil_div(words.end, size)};
  const std::uint8_t flip = right_flip(image.kind);
  out += rows.begin * size;
  for (Index begin = rows.begin; begin < rows.end; begin += at_once) {
    const Index end = min_of(begin + at_once, rows.end);
    fill_strip(bytes, {begin * width, end * width}, strip);
    for (Index row = begin; row < end; ++row, out += size) {
      const std::uint8_t* from = strip + (row - begin) * width;
      layout.step == 1 ? slide<1>(from, flip, size, out) : slide<2>(from, flip, size, out);
    }
  }
}

/// The words of each plane that some parts read.
inline Range words_of(const Window& w, const ImageLayout& layout, Range parts) {
  Index further = layout.row_planes > 1 || layout.slides ? 0 : reach(w, 2);
  further += (reach(w, 0) * layout.extent[1] + reach(w, 1)) * layout.extent[2];
  return {layout.parts.begin_of(parts.begin), layout.parts.begin_of(parts.end) + further};
}

inline void int8_prepare_image(const Int8Image& image, Range planes, Range parts,
                               Word* prepared) noexcept {
  const ImageLayout layout = image_layout(image.shape);
  const Window& w = image.shape.window;
  const Range words = words_of(w, layout, parts);
  const Index phases = layout.phase_count(), of_unit = layout.row_planes * phases;
  const bool shifts = shifts_rows(w, layout);
  for (Index plane = planes.begin, end; plane < planes.end; plane = end) {
    end = shifts ? min_of(round_up(plane + 1, of_unit), planes.end) : plane + 1;
    Word* out = prepared + plane * layout.plane_size;
    if (is_pointwise(w))
      prepare_pointwise_plane(image, plane, words, out + words.begin);
    else if (layout.shares)
      prepare_shared_plane(image, layout, plane, words, out);
    else
      for (Index first = plane; first < min_of(plane + phases, end); ++first)
        prepare_strips(image, layout, {first, end}, phases, words, prepared);
  }
}

inline void int8_image_offsets(const ConvShape& s, Index* offsets) noexcept {
  const Window& w = s.window;
  const ImageLayout layout = image_layout(s);
  const Index size = layout.plane_size, taps_along = layout.slides ? 1 : w.kernel[2];
  const bool has_plane = layout.row_planes > 1;
  for (Index t = 0; t < layout.unit_taps; ++t) {
    const Index tap[3] = {t / (w.kernel[1] * taps_along), t / taps_along % w.kernel[1],
                          t % taps_along};
    Index phase = 0, shift = 0;
    for (int i = 0; i < 3; ++i) {
      const Index at = has_plane && i == 2 ? 0 : tap[i] * w.dilation[i];
      phase = phase * layout.phases[i] + (layout.phases[i] > 1 ? at % w.stride[i] : 0);
      shift = shift * layout.extent[i] + at / w.stride[i];
    }
    offsets[t] = ((has_plane ? tap[2] : 0) * layout.phase_count() + phase) * size + shift;
  }
  const Index unit_size = layout.planes() / layout.units * size;
  for (Index i = layout.unit_taps; i < layout.steps(); ++i)
    offsets[i] = offsets[i - layout.unit_taps] + unit_size;
}

}  // namespace
}  // namespace strata::kernels
