#include "kernel_ops/moved_taps.h"

#include <algorithm>
#include <array>
#include <span>

namespace strata {
namespace {

constexpr std::size_t kMostCorners = std::size_t{1} << kMostMovedAxes;
constexpr std::size_t kTogether = kPlacesTogether;

/// Of as many places, side by side, so that the compiler makes vectors of them.
template <class T>
using Each = std::array<T, kTogether>;

/// The corners around some places, each the end of a path of sides along the axes.
class Corners {
 public:
  explicit Corners(const Each<double>& weights) { weights_[0] = weights; }

  /// Goes on along an axis of `size` elements: the new axis' neighbours lie side by side.
  void add_axis(const Each<double>& places, std::int32_t size) {
    Each<std::int32_t> below;
    Each<double> rest;
    for (std::size_t i = 0; i < kTogether; ++i) {
      const double some = places[i] > -1 ? places[i] : -2, place = some < size ? some : -2;
      const double whole = static_cast<std::int32_t>(place);
      const double floor = whole - (place < whole ? 1.0 : 0.0);
      below[i] = static_cast<std::int32_t>(floor);
      rest[i] = place - floor;
    }
    for (std::size_t corner = count_; corner-- > 0;) {
      const Each<std::int32_t> from = elements_[corner];
      const Each<double> weights = weights_[corner];
      for (const std::int32_t side : {0, 1}) {
        Each<std::int32_t>& to = elements_[2 * corner + static_cast<std::size_t>(side)];
        Each<double>& weight = weights_[2 * corner + static_cast<std::size_t>(side)];
        for (std::size_t i = 0; i < kTogether; ++i) {
          const std::int32_t at = below[i] + side;
          const bool is_inside = from[i] >= 0 && at >= 0 && at < size;
          to[i] = is_inside ? from[i] * size + at : -1;
          weight[i] = weights[i] * (side == 0 ? 1 - rest[i] : rest[i]);
        }
      }
    }
    count_ *= 2;
  }
  std::size_t count() const { return count_; }
  /// Of a place; -1 outside.
  std::int32_t element(std::size_t corner, std::size_t place) const {
    return elements_[corner][place];
  }
  float weight(std::size_t corner, std::size_t place) const {
    return static_cast<float>(weights_[corner][place]);
  }

 private:
  Each<std::int32_t> elements_[kMostCorners] = {};
  Each<double> weights_[kMostCorners];
  std::size_t count_ = 1;
};

/// The rows of x that are around a place, of all its channels.
class Around {
 public:
  void add(const float* row, float weight) {
    rows_[count_] = row;
    weights_[count_++] = weight;
  }
  /// Sums up n of their elements from `at` on.
  void sum_up(std::int64_t at, std::int64_t n, float* __restrict y) const {
    if (count_ == 4) return sum_up_four(at, n, y);
    std::fill_n(y, n, 0.0F);
    for (std::size_t t = 0; t < count_; ++t)
      for (std::int64_t c = 0; c < n; ++c) y[c] += weights_[t] * rows_[t][at + c];
  }

 private:
  /// As most places of a picture have it.
  void sum_up_four(std::int64_t at, std::int64_t n, float* __restrict y) const {
    const float w0 = weights_[0], w1 = weights_[1], w2 = weights_[2], w3 = weights_[3];
    const float *r0 = rows_[0] + at, *r1 = rows_[1] + at, *r2 = rows_[2] + at, *r3 = rows_[3] + at;
    for (std::int64_t c = 0; c < n; ++c) y[c] = w0 * r0[c] + w1 * r1[c] + w2 * r2[c] + w3 * r3[c];
  }

  const float* rows_[kMostCorners];
  float weights_[kMostCorners];
  std::size_t count_ = 0;
};

/// Samples x where the taps lie.
class MovedTaps {
 public:
  MovedTaps(const DeformColumns& op, const ConvGeometry& sizes, const KernelIo& io)
      : sizes_(sizes),
        groups_(op.offset_group),
        taps_(sizes.taps()),
        outputs_(sizes.out_positions()),
        channels_(sizes.groups * sizes.in_channels),
        x_(io.inputs[0].as<float>()),
        offsets_(io.inputs[1].as<float>()),
        mask_(io.inputs.size() > 2 ? io.inputs[2].as<float>() : nullptr),
        columns_(io.outputs[0].as<float>()) {}

  /// All taps at n outputs of an item, from `first` on.
  void sample(std::int64_t item, std::int64_t first, std::int64_t n) const {
    Origins origins;
    std::int64_t inner = outputs_;
    for (std::size_t a = 0; a < sizes_.axes.size(); ++a) {
      const AxisWindow& axis = sizes_.axes[a];
      inner /= axis.out;
      for (std::int64_t i = 0; i < n; ++i)
        origins[a][static_cast<std::size_t>(i)] =
            static_cast<double>((first + i) / inner % axis.out * axis.stride - axis.before);
    }
    for (std::int64_t tap = 0; tap < groups_ * taps_; ++tap)
      sample(item, tap, origins, first, static_cast<std::size_t>(n));
  }

 private:
  /// Where the windows of some outputs begin, along each axis.
  using Origins = std::array<Each<double>, kMostMovedAxes>;

  /// One tap of the channels that are moved alike.
  void sample(std::int64_t item, std::int64_t tap, const Origins& origins, std::int64_t first,
              std::size_t n) const {
    const std::size_t rank = sizes_.axes.size();
    const std::int64_t set = item * groups_ * taps_ + tap;
    const float* offsets = offsets_ + set * static_cast<std::int64_t>(rank) * outputs_ + first;
    Each<double> weights{};
    for (std::size_t i = 0; i < n; ++i)
      weights[i] = mask_ ? mask_[set * outputs_ + first + static_cast<std::int64_t>(i)] : 1;
    Corners corners(weights);
    std::int64_t inner = taps_;
    for (std::size_t a = 0; a < rank; ++a, offsets += outputs_) {
      const AxisWindow& axis = sizes_.axes[a];
      inner /= axis.kernel;
      const auto moved = static_cast<double>(tap / inner % axis.kernel * axis.dilation);
      Each<double> places{};
      for (std::size_t i = 0; i < n; ++i) places[i] = origins[a][i] + moved + offsets[i];
      corners.add_axis(places, static_cast<std::int32_t>(axis.in));
    }
    const float* x = x_ + item * sizes_.in_positions() * channels_;
    Around around[kTogether];
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t corner = 0; corner < corners.count(); ++corner)
        if (const std::int64_t element = corners.element(corner, i); element >= 0)
          around[i].add(x + element * channels_, corners.weight(corner, i));
    sum_up(std::span(around).first(n), item, tap, first);
  }

  /// Channels that are moved alike may be of several groups of the convolution.
  void sum_up(std::span<const Around> around, std::int64_t item, std::int64_t tap,
              std::int64_t first) const {
    const std::int64_t alike = channels_ / groups_, in_group = sizes_.in_channels;
    const std::int64_t begin = tap / taps_ * alike, end = begin + alike;
    for (std::int64_t c = begin; c < end;) {
      const std::int64_t group = c / in_group, n = std::min(end, (group + 1) * in_group) - c;
      const std::int64_t row = (item * sizes_.groups + group) * outputs_ + first;
      float* column = columns_ + (row * taps_ + tap % taps_) * in_group + c % in_group;
      for (const Around& each : around) {
        each.sum_up(c, n, column);
        column += taps_ * in_group;
      }
      c += n;
    }
  }

  const ConvGeometry& sizes_;
  std::int64_t groups_, taps_, outputs_, channels_;
  const float* x_;
  const float* offsets_;
  const float* mask_;  ///< null for ones
  float* columns_;
};

}  // namespace

void sample_moved_taps(const DeformColumns& op, const ConvGeometry& sizes, const KernelIo& io,
                       kernels::Range places) {
  const MovedTaps taps(op, sizes, io);
  const std::int64_t outputs = sizes.out_positions();
  for (std::int64_t at = places.begin; at < places.end;) {
    const std::int64_t first = at % outputs,
                       n = std::min({kPlacesTogether, outputs - first, places.end - at});
    taps.sample(at / outputs, first, n);
    at += n;
  }
}

}  // namespace strata
