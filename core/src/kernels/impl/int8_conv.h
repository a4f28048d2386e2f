#pragma once

#include "kernels/impl/int8_finish.h"
#include "kernels/impl/int8_image.h"
#include "kernels/impl/int8_left.h"
#include "kernels/impl/int8_tile.h"

/// Convolution of bytes as the product of the weights [channels, steps] and the prepared image,
/// which is read where it lies.
namespace strata::kernels {
namespace {

/// Packed weights: panels of channels, [steps][channels of a panel], then for each step the word
/// that sums up what is there.
inline Index int8_weights_size(const ConvShape& s) noexcept {
  const Index steps = int8_image_steps(s);
  const Index rows = round_up(s.out_channels, channel_rows(s.out_channels)) + 1;
  return round_up(rows * steps + kMaxTileRows, 16);
}

/// The weights of a channel that a word holds, evenly spaced.
struct WordWeights {
  Index first;
  Index count;
};

/// Calls `visit` with each step and its weights.
template <class Visit>
inline void for_each_step(const ConvShape& s, const ImageLayout& layout, const Visit& visit) {
  const Index kernel = volume(s.window.kernel), along = layout.slides ? s.window.kernel[2] : 1;
  Index step = 0;
  for (Index unit = 0; unit < layout.units; ++unit) {
    const WordSource source = word_source(s, layout, unit);
    WordWeights weights{source.channel[0] * kernel + source.tap[0], 0};
    while (weights.count < kGroup && source.channel[weights.count] >= 0) ++weights.count;
    for (Index t = 0; t < layout.unit_taps; ++t, weights.first += along) visit(step++, weights);
  }
}

/// The words that sum up what is there.
inline void pack_ones(const ConvShape& s, const ImageLayout& layout, Word* out) {
  for_each_step(s, layout, [&](Index step, const WordWeights& w) {
    for (int e = 0; e < w.count; ++e) out[step] |= static_cast<Word>(left_part(1, e));
  });
}

/// Some steps, and which weights of a channel their words hold: every `apart`-th from the first on.
struct WeightSteps {
  Index apart;
  Index first = 0;  ///< step
  Index count = 0;
  WordWeights word[LeftBlock::kSteps];

  /// Whether weights lie in the channel as they do in the words.
  bool is_run() const {
    for (Index i = 0; i < count; ++i)
      if (word[i].first != word[0].first + i * kGroup || word[i].count < kGroup) return false;
    return apart == 1;
  }
  /// The bytes of all words, and `zero` where there is no weight.
  void gather(const std::uint8_t* weights, std::uint8_t zero, std::uint8_t* bytes) const {
    for (Index i = 0; i < count; ++i, bytes += kGroup) {
      const std::uint8_t* from = weights + word[i].first;
      if (word[i].count == kGroup) {
#pragma GCC unroll 4
        for (int e = 0; e < kGroup; ++e) bytes[e] = from[e * apart];
      } else {
        for (int e = 0; e < kGroup; ++e) bytes[e] = e < word[i].count ? from[e * apart] : zero;
      }
    }
  }
};

/// Packs some steps of the weights of all channels.
[[gnu::noinline]] void pack_steps(const ConvShape& s, const WeightSteps& some,
                                  const std::uint8_t* weights, std::uint8_t flip, Index all_steps,
                                  Word* packed) {
  const Index width = channel_rows(s.out_channels), depth = s.in_channels * volume(s.window.kernel);
  const bool is_run = some.is_run();
  LeftBlock block;
  std::uint8_t bytes[LeftBlock::kBytes];
  for (Index o = 0; o < s.out_channels; o += width) {
    const Index channels = min_of(width, s.out_channels - o);
    for (Index r = 0; r < channels; ++r, weights += depth) {
      if (!is_run) some.gather(weights, flip, bytes);
      block.take(r, is_run ? weights + some.word[0].first : bytes, some.count * kGroup, flip);
    }
    block.pack(channels, some.count, width, packed + o * all_steps + some.first * width);
  }
}

/// Packs into words that are zero.
[[gnu::cold]] inline void int8_pack_weights(const ConvShape& s, const void* weights, ByteKind kind,
                                            Word* packed) noexcept {
  const auto* bytes = static_cast<const std::uint8_t*>(weights);
  const ImageLayout layout = image_layout(s);
  const Index steps = layout.steps(), rows = round_up(s.out_channels, channel_rows(s.out_channels));
  WeightSteps some{layout.slides ? 1 : volume(s.window.kernel)};
  for_each_step(s, layout, [&](Index step, const WordWeights& w) {
    some.word[some.count++] = w;
    if (some.count < LeftBlock::kSteps && step + 1 < steps) return;
    pack_steps(s, some, bytes, left_flip(kind), steps, packed);
    some.first = step + 1;
    some.count = 0;
  });
  pack_ones(s, layout, packed + rows * steps);
}

/// Outputs that lie side by side both among the words of a chunk and in y.
struct OutputRun {
  Index word;
  Index out;
  Index size;
};

struct OutputRuns {
  OutputRun run[kChunk];
  Index count = 0;
};

[[gnu::noinline]] void find_runs(const ConvShape& s, const ImageLayout& layout, Range words,
                                 OutputRuns& runs) {
  const Window& w = s.window;
  const Index width = layout.extent[2];
  if (width == w.out[2] && (layout.extent[0] == 1 || layout.extent[1] == w.out[1])) {
    runs.run[0] = {0, words.begin, words.end - words.begin};
    runs.count = 1;
    return;
  }
  const Index row = words.begin / width;
  Index x = words.begin % width, y = row % layout.extent[1], z = row / layout.extent[1];
  runs.count = 0;
  for (Index i = words.begin; i < words.end; i += width - x, x = 0) {
    const Index size = min_of(w.out[2] - x, words.end - i);
    if (size > 0 && y < w.out[1] && z < w.out[0])
      runs.run[runs.count++] = {i - words.begin, (z * w.out[1] + y) * w.out[2] + x, size};
    if (++y == layout.extent[1]) {
      y = 0;
      ++z;
    }
  }
}

/// One chunk of outputs of some channels.
struct ConvChunk {
  const Int8Conv& conv;
  const ImageLayout& layout;
  const OutputRuns& runs;
  Range words;
  SumFinish finish;
  Index behind;  ///< the first output of the channel that is not this call's
  Index channel_size = volume(conv.shape.window.out);

  Int8Operands<Word> operands(const Word* left, Index left_step) const {
    const Index steps = layout.steps();
    return {left,  left_step, conv.image + words.begin, kPanel, {conv.offsets, steps, 0},
            steps, kChunk};
  }
  Index size() const { return words.end - words.begin; }

  char* output(Index channel) const {
    const Index width = output_width(finish.output);
    return static_cast<char*>(conv.y) + channel * channel_size * width;
  }
  /// Copies a finished row to its outputs.
  [[gnu::noinline]] void store_row(Index channel, const Word* row) const {
    const Index width = output_width(finish.output);
    const char* from = reinterpret_cast<const char*>(row);
    char* y = output(channel);
    for (Index i = 0; i < runs.count; ++i) {
      const OutputRun& run = runs.run[i];
      copy_bytes<64>(from + run.word * width, y + run.out * width, run.size * width,
                     y + behind * width);
    }
  }

  /// Rows that are not one run are finished in place, all of them before the first is copied: what
  /// has just been written by parts is slow to read at once.
  template <class Sums>
  [[gnu::noinline]] void compute(const Sums& method, Range channels) const {
    alignas(64) Word sums[Sums::kMostRows * kChunk + kSumsSlack];
    const Index width = output_width(finish.output);
    const bool is_run = runs.count == 1 && runs.run[0].word == 0 && runs.run[0].size == size();
    const Index y_step = is_run ? channel_size : kChunk * static_cast<Index>(sizeof(Word)) / width;
    for (Index o = channels.begin, rows; o < channels.end; o += rows) {
      rows = min_of(method.step(), channels.end - o);
      method.compute(*this, {o, o + rows}, sums);
      finish_part<kLanes>(
          finish, {{o, o + rows}, {0, size()}, kChunk, y_step}, sums,
          is_run ? output(o) + runs.run[0].out * width : reinterpret_cast<char*>(sums));
      for (Index r = 0; r < rows && !is_run; ++r) store_row(o + r, sums + r * kChunk);
    }
  }
};

/// The sums of a chunk by vectors of words.
class VectorSums {
 public:
  static constexpr Index kMostRows = kMaxTileRows;

  VectorSums(const ConvShape& s, const ImageLayout& layout)
      : channels_(s.out_channels), step_(channel_rows(channels_)), steps_(layout.steps()) {}

  /// Channels whose sums are computed at once.
  Index step() const { return step_; }
  /// Words of the weights of all channels.
  Index words() const { return round_up(channels_, step_) * steps_; }

  void compute(const ConvChunk& chunk, Range channels, Word* sums) const {
    const Word* weights = chunk.conv.weights + channels.begin * steps_;
    compute_sums_of(chunk.operands(weights, step_), channels.end - channels.begin, chunk.size(),
                    sums);
  }

 private:
  Index channels_;
  Index step_;
  Index steps_;
};

inline Index int8_conv_parts(const ConvShape& s) noexcept { return image_layout(s).parts.count; }

/// The number of a channel's outputs before that of a word.
inline Index outputs_before(const ConvShape& s, const ImageLayout& layout, Index word) {
  const Window& w = s.window;
  const Index row = word / layout.extent[2], x = word % layout.extent[2];
  const Index z = row / layout.extent[1], y = row % layout.extent[1];
  if (z >= w.out[0]) return volume(w.out);
  if (y >= w.out[1]) return (z + 1) * w.out[1] * w.out[2];
  return (z * w.out[1] + y) * w.out[2] + min_of(x, w.out[2]);
}

template <class Sums>
void int8_convolve(const Int8Conv& conv, Range channels, Range parts) noexcept {
  const ConvShape& s = conv.shape;
  const ImageLayout layout = image_layout(s);
  const Sums method(s, layout);
  const ImageParts& all = layout.parts;
  alignas(64) Word patch_sums[kChunk];
  OutputRuns runs;
  const Index behind = outputs_before(s, layout, all.begin_of(parts.end));
  for (Index part = parts.begin; part < parts.end; ++part) {
    const Range words{all.begin_of(part), all.begin_of(part + 1)};
    find_runs(s, layout, words, runs);
    ConvChunk chunk{conv, layout, runs, words, conv.finish, behind};
    if (conv.row_zeros) {
      const Word* ones = conv.weights + method.words();
      compute_sums(chunk.operands(ones, 1), 1, ceil_div(chunk.size(), kPanel), patch_sums);
      chunk.finish.terms[0] = {conv.row_zeros, patch_sums};
    }
    chunk.compute(method, channels);
  }
}

constexpr Int8ConvMethod kByProduct{.way = ByteConvWay::product,
                                    .weights_size = int8_weights_size,
                                    .pack_weights = int8_pack_weights,
                                    .image_size = int8_image_size,
                                    .image_planes = int8_image_planes,
                                    .prepare_image = int8_prepare_image,
                                    .image_steps = int8_image_steps,
                                    .image_offsets = int8_image_offsets,
                                    .groups_at_once = only_one,
                                    .channel_step = int8_channel_step,
                                    .parts = int8_conv_parts,
                                    .parts_at_once = int8_conv_parts,
                                    .prepares_parts = true,
                                    .convolve = int8_convolve<VectorSums>};

}  // namespace
}  // namespace strata::kernels
