#include "kernel_ops/grid_sample_kernel.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernel_ops/shared_work.h"
#include "ops/grid_taps.h"

namespace strata {
namespace {

using std::int64_t;

/// Elements of a plane and their weights, side by side for each of some places.
struct Picks {
  std::int32_t* places;  ///< -1: a zero outside
  float* weights;
  std::uint8_t*
      are_pairs;  ///< of each four places: whether all picks, four each, are pairs of neighbours
  int64_t count;  ///< for each place
};

/// Picks that are kept at once, for all channels of an item: as many as a second cache holds beside a
/// plane, which is read anew for each time.
constexpr int64_t kMostPicks = 1 << 14;
constexpr std::size_t kMostAxes = 3;
constexpr std::size_t kMostTaps = 64;  ///< cubic, along three axes

constexpr std::size_t kScratch =
    kMostPicks * (sizeof(std::int32_t) + sizeof(float)) + kMostPicks / 16 * sizeof(std::uint8_t);

bool is_pair(const std::int32_t* places) { return places[0] >= 0 && places[1] == places[0] + 1; }

/// Writes the taps of n places of the grid.
void find(const GridTaps& taps, const float* grid, std::size_t axes, int64_t n, Picks& picks) {
  GridTaps::Tap found[kMostTaps];
  int64_t at = 0;
  for (int64_t i = 0; i < n; ++i, grid += axes) {
    taps.at(grid, found);
    for (int64_t t = 0; t < picks.count; ++t, ++at) {
      picks.places[at] = static_cast<std::int32_t>(found[t].index);
      picks.weights[at] = static_cast<float>(found[t].weight);
    }
  }
  if (picks.count != 4) return;
  for (int64_t i = 0; i + 4 <= n; i += 4) {
    bool are_pairs = true;
    for (int64_t pick = 4 * i; pick < 4 * i + 16; pick += 2)
      are_pairs = are_pairs && is_pair(picks.places + pick);
    picks.are_pairs[i / 4] = are_pairs;
  }
}

/// One output.
float sum_up(const std::int32_t* place, const float* weight, int64_t count, const float* plane) {
  float sum = 0;
  for (int64_t t = 0; t < count; ++t)
    if (place[t] >= 0) sum += weight[t] * plane[place[t]];
  return sum;
}

typedef float Four __attribute__((vector_size(16)));
typedef double TwoPairs __attribute__((vector_size(16)));

/// Two neighbours, moved as one number.
double pair_at(const float* p) {
  double pair;
  std::memcpy(&pair, p, sizeof pair);
  return pair;
}

/// The terms of one output whose four picks are pairs.
Four terms(const std::int32_t* place, const float* weight, const float* plane) {
  Four weights;
  std::memcpy(&weights, weight, sizeof weights);
  const TwoPairs picked{pair_at(plane + place[0]), pair_at(plane + place[2])};
  return weights * reinterpret_cast<Four>(picked);
}

/// Four outputs whose picks are pairs, the terms of each added in their order.
void sum_up_pairs(const std::int32_t* place, const float* weight, const float* plane, float* y) {
  Four t[4];
  for (int i = 0; i < 4; ++i) t[i] = terms(place + 4 * i, weight + 4 * i, plane);
  const Four a = __builtin_shufflevector(t[0], t[1], 0, 4, 1, 5);
  const Four b = __builtin_shufflevector(t[2], t[3], 0, 4, 1, 5);
  const Four c = __builtin_shufflevector(t[0], t[1], 2, 6, 3, 7);
  const Four d = __builtin_shufflevector(t[2], t[3], 2, 6, 3, 7);
  Four sum = Four{} + __builtin_shufflevector(a, b, 0, 1, 4, 5);
  sum += __builtin_shufflevector(a, b, 2, 3, 6, 7);
  sum += __builtin_shufflevector(c, d, 0, 1, 4, 5);
  sum += __builtin_shufflevector(c, d, 2, 3, 6, 7);
  std::memcpy(y, &sum, sizeof sum);
}

/// n outputs of one plane.
void sum_up_all(const Picks& picks, const float* plane, int64_t n, float* y) {
  const bool has_pairs = picks.count == 4;
  for (int64_t i = 0; i < n;) {
    const std::int32_t* place = picks.places + i * picks.count;
    const float* weight = picks.weights + i * picks.count;
    if (has_pairs && i % 4 == 0 && i + 4 <= n && picks.are_pairs[i / 4]) {
      sum_up_pairs(place, weight, plane, y + i);
      i += 4;
    } else {
      y[i++] = sum_up(place, weight, picks.count, plane);
    }
  }
}

/// n outputs as they are picked: what is no number there stays as it is.
void pick(const Picks& picks, const float* plane, int64_t n, float* y) {
  for (int64_t i = 0; i < n; ++i) y[i] = picks.places[i] < 0 ? 0 : plane[picks.places[i]];
}

void sample(const Picks& picks, const float* plane, int64_t n, float* y) {
  picks.count == 1 ? pick(picks, plane, n, y) : sum_up_all(picks, plane, n, y);
}

}  // namespace

FactList GridSampleKernel::output_facts(Facts in) const { return GridSample::output_facts(in); }

std::size_t GridSampleKernel::scratch_bytes(Facts) const { return kScratch; }

void GridSampleKernel::run(const KernelIo& io) const {
  const Span x = io.inputs[0].shape, grid = io.inputs[1].shape, out = io.outputs[0].shape;
  check_data(x[0] == grid[0] && grid.back() == static_cast<int64_t>(x.size() - 2),
             "(C4) a grid of shape ", grid, " for x of shape ", x);
  const std::size_t axes = x.size() - 2;
  const GridTaps taps(*this, x.subspan(2));
  const int64_t plane = volume(x.subspan(2)), places = volume(out.subspan(2)), channels = x[1];
  check_data(plane <= std::numeric_limits<std::int32_t>::max(), "planes of ", plane, " elements");
  if (volume(out) == 0) return;
  const auto width = static_cast<int64_t>(taps.count());
  const WorkSize work = work_on(x[0] * places * (channels + 4), 40 * static_cast<double>(width));
  const std::size_t parts = parts_of(io, work, (x[0] * places + 15) / 16);
  share(io, parts, kScratch, [&](std::size_t part, std::byte* scratch) {
    auto* weights = reinterpret_cast<float*>(scratch) + kMostPicks;
    Picks picks{reinterpret_cast<std::int32_t*>(scratch), weights,
                reinterpret_cast<std::uint8_t*>(weights + kMostPicks), width};
    const kernels::Range range = part_of(x[0] * places, 16, part, parts);
    for (int64_t at = range.begin; at < range.end;) {
      const int64_t item = at / places, first = at - item * places;
      const int64_t n = std::min({kMostPicks / width, places - first, range.end - at});
      find(taps, io.inputs[1].as<float>() + at * static_cast<int64_t>(axes), axes, n, picks);
      for (int64_t c = item * channels; c < (item + 1) * channels; ++c)
        sample(picks, io.inputs[0].as<float>() + c * plane, n,
               io.outputs[0].as<float>() + c * places + first);
      at += n;
    }
  });
}

std::string GridSampleKernel::explain(Facts, Facts) const {
  return "weighted picks, found once for all channels";
}

/// GridSample of up to three axes, x and grid of f32 -> GridSampleKernel
Rewrite lower_grid_sample(const NodeView& node, const Target&) {
  const GridSample* sample = node.op().as<GridSample>();
  if (!sample || !is_f32(node.input_fact(0)) || !is_f32(node.input_fact(1))) return no_change;
  const ShapeFact &x = node.input_fact(0).shape, &grid = node.input_fact(1).shape;
  if (!x.is_known() || !grid.is_known() || x.rank() > kMostAxes + 2) return no_change;
  return replace(node, GridSampleKernel{*sample}, node.inputs());
}

}  // namespace strata
