#include "kernel_ops/grid_sample_kernel.h"

#include <limits>

#include "kernel_ops/weighted_picks.h"

namespace strata {

FactList GridSampleKernel::output_facts(Facts in) const { return GridSample::output_facts(in); }

std::size_t GridSampleKernel::scratch_bytes(Facts) const { return WeightedPicks::scratch_bytes(); }

void GridSampleKernel::run(const KernelIo& io) const {
  const Span x = io.inputs[0].shape, grid = io.inputs[1].shape, out = io.outputs[0].shape;
  check_data(x[0] == grid[0] && grid.back() == static_cast<std::int64_t>(x.size() - 2),
             "(C4) a grid of shape ", grid, " for x of shape ", x);
  const std::size_t axes = x.size() - 2;
  const GridTaps taps(*this, x.subspan(2));
  const std::int64_t plane = volume(x.subspan(2)), places = volume(out.subspan(2)), channels = x[1];
  check_data(plane <= std::numeric_limits<std::int32_t>::max(), "planes of ", plane, " elements");
  if (volume(out) == 0) return;
  share_places(io, {x[0], places, channels, taps.count()},
               [&](std::int64_t item, std::int64_t first, std::int64_t n, WeightedPicks& picks) {
                 GridTaps::Tap found[WeightedPicks::kMostTaps];
                 const float* place = io.inputs[1].as<float>() +
                                      (item * places + first) * static_cast<std::int64_t>(axes);
                 for (std::int64_t i = 0; i < n; ++i, place += axes) {
                   taps.at(place, found);
                   picks.set(i, found);
                 }
                 picks.find_pairs(n);
                 for (std::int64_t c = item * channels; c < (item + 1) * channels; ++c)
                   picks.sample(io.inputs[0].as<float>() + c * plane, n,
                                io.outputs[0].as<float>() + c * places + first);
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
  if (!x.is_known() || !grid.is_known() || x.rank() > WeightedPicks::kMostAxes + 2)
    return no_change;
  return replace(node, GridSampleKernel{*sample}, node.inputs());
}

}  // namespace strata
