#include "kernel_ops/grid_sample_kernel.h"

#include <algorithm>
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
  int64_t count;  ///< for each place
};

/// Places whose taps are kept at once: for all channels of an item.
constexpr int64_t kMostPlaces = 256;
constexpr std::size_t kMostAxes = 3;
constexpr std::size_t kMostTaps = 64;  ///< cubic, along three axes

std::size_t scratch_for(std::size_t taps) {
  return static_cast<std::size_t>(kMostPlaces) * taps * (sizeof(std::int32_t) + sizeof(float));
}

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
}

/// One output; elements outside are looked for only where there are some.
template <int64_t kCount>
[[gnu::always_inline]] inline float sum_up(const std::int32_t* place, const float* weight,
                                           int64_t count, const float* plane) {
  if (kCount) count = kCount;
  std::int32_t signs = 0;
#pragma GCC unroll 4
  for (int64_t t = 0; t < count; ++t) signs |= place[t];
  float sum = 0;
  if (signs >= 0) {
#pragma GCC unroll 4
    for (int64_t t = 0; t < count; ++t) sum += weight[t] * plane[place[t]];
  } else {
    for (int64_t t = 0; t < count; ++t)
      if (place[t] >= 0) sum += weight[t] * plane[place[t]];
  }
  return sum;
}

/// n outputs of one plane. Four taps, those of linear sampling of an image, are laid out.
template <int64_t kCount>
void sum_up_all(const Picks& picks, const float* plane, int64_t n, float* y) {
  const int64_t step = kCount ? kCount : picks.count;
  for (int64_t i = 0; i < n; ++i)
    y[i] = sum_up<kCount>(picks.places + i * step, picks.weights + i * step, step, plane);
}

/// n outputs as they are picked: what is no number there stays as it is.
void pick(const Picks& picks, const float* plane, int64_t n, float* y) {
  for (int64_t i = 0; i < n; ++i) y[i] = picks.places[i] < 0 ? 0 : plane[picks.places[i]];
}

void sample(const Picks& picks, const float* plane, int64_t n, float* y) {
  if (picks.count == 1) return pick(picks, plane, n, y);
  picks.count == 4 ? sum_up_all<4>(picks, plane, n, y) : sum_up_all<0>(picks, plane, n, y);
}

}  // namespace

FactList GridSampleKernel::output_facts(Facts in) const { return GridSample::output_facts(in); }

std::size_t GridSampleKernel::scratch_bytes(Facts in) const {
  const std::size_t axes = in[0].shape.rank() - 2;
  return scratch_for(GridTaps(*this, Shape(axes, 1)).count());
}

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
  share(io, parts, scratch_for(taps.count()), [&](std::size_t part, std::byte* scratch) {
    Picks picks{reinterpret_cast<std::int32_t*>(scratch),
                reinterpret_cast<float*>(scratch) + kMostPlaces * width, width};
    const kernels::Range range = part_of(x[0] * places, 16, part, parts);
    for (int64_t at = range.begin; at < range.end;) {
      const int64_t item = at / places, first = at - item * places;
      const int64_t n = std::min({kMostPlaces, places - first, range.end - at});
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
