#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel_ops/shared_work.h"
#include "ops/grid_taps.h"

namespace strata {

/// Elements of planes of f32 and their weights, equally many for each of some places: found once,
/// then summed up for all planes that are sampled alike.
class WeightedPicks {
 public:
  static constexpr std::size_t kMostAxes = 3;
  static constexpr std::size_t kMostTaps = 64;  ///< of a place: cubic, along three axes

  /// Bytes of the memory it works in, 64-byte aligned.
  static std::size_t scratch_bytes();
  /// `count` picks for each place.
  WeightedPicks(std::byte* scratch, std::size_t count);

  /// How many places are kept at once.
  std::int64_t most_places() const;
  void set(std::int64_t place, const GridTaps::Tap* taps);
  /// What `sample` of a plane needs to know of the first n places, once they are set.
  void find_pairs(std::int64_t n);
  /// Writes the sums of the first n places. A single pick per place is taken as it is, whatever its
  /// weight.
  void sample(const float* plane, std::int64_t n, float* y) const;
  /// The same for a plane of blocks of channels.
  void sample_blocks(const kernels::KernelTable& table, const float* plane, std::int64_t n,
                     float* y) const;

 private:
  void pick(const float* plane, std::int64_t n, float* y) const;
  void sum_up_all(const float* plane, std::int64_t n, float* y) const;

  std::int32_t* elements_;  ///< those of one place side by side; -1: a zero outside
  float* weights_;
  /// For every four places, a bit for each whose four picks are pairs of neighbours.
  std::uint8_t* are_pairs_;
  std::int64_t count_;
};

/// Places in several sets of the same size, at each of which some channels are sampled alike.
struct SampledPlaces {
  std::int64_t sets;
  std::int64_t places;    ///< of each set
  std::int64_t channels;  ///< of each set
  std::size_t picks;      ///< for each place
};

/// Calls `sample(set, first, n, picks)` for all places, n at a time from `first` on in a set, on
/// several threads where that pays.
template <class Sample>
void share_places(const KernelIo& io, const SampledPlaces& all, const Sample& sample) {
  const std::int64_t places = all.sets * all.places;
  if (places == 0) return;
  const WorkSize work = work_on(places * (all.channels + 4), 40 * static_cast<double>(all.picks));
  const Cuts cuts{.n = places, .step = 16, .scratch_bytes = WeightedPicks::scratch_bytes()};
  share_range(io, work, cuts, [&](kernels::Range range, std::byte* scratch) {
    WeightedPicks picks(scratch, all.picks);
    for (std::int64_t at = range.begin; at < range.end;) {
      const std::int64_t first = at % all.places;
      const std::int64_t n = std::min({picks.most_places(), all.places - first, range.end - at});
      sample(at / all.places, first, n, picks);
      at += n;
    }
  });
}

}  // namespace strata
