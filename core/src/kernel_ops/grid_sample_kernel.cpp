#include "kernel_ops/grid_sample_kernel.h"

#include <limits>

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/weighted_picks.h"

namespace strata {
namespace {

using kernels::Layout;
using std::int64_t;

/// Whether moving x to blocks, and y back, costs less than it saves.
bool pays_in_blocks(const GridSample& sample, const ShapeFact& x, const ShapeFact& grid) {
  constexpr int64_t kFewChannels = 8;  // fewer would leave more than half of a block empty
  const auto channels = x[1].constant();
  if (!channels || *channels < kFewChannels || sample.mode == GridMode::nearest) return false;
  int64_t inputs = 1, picks = 1;
  for (std::size_t axis = 2; axis < x.rank(); ++axis) {
    const auto in = x[axis].constant(), out = grid[axis - 1].constant();
    if (!in || !out) return true;
    inputs *= *in;
    picks *= *out * static_cast<int64_t>(GridTaps::along_axis(sample.mode));
  }
  return inputs < picks;
}

}  // namespace

FactList GridSampleKernel::output_facts(Facts in) const {
  if (layout == Layout::planes) return GridSample::output_facts(in);
  check_arity(name, in, 2, 2);
  const Fact planes[] = {planes_fact(in[0], 1), in[1]};
  const Fact* operands[] = {&planes[0], &planes[1]};
  const Fact y = blocked_fact(GridSample::output_facts(Facts(operands))[0]);
  std::vector<Dim> dims = y.shape.dims();
  dims[1] = in[0].shape[1];
  return {Fact::tensor(DatumType::f32, std::move(dims))};
}

std::size_t GridSampleKernel::scratch_bytes(Facts) const { return WeightedPicks::scratch_bytes(); }

void GridSampleKernel::run(const KernelIo& io) const {
  const Span x = io.inputs[0].shape, grid = io.inputs[1].shape, out = io.outputs[0].shape;
  const std::size_t axes = grid.size() - 2;
  check_data(x[0] == grid[0] && grid.back() == static_cast<int64_t>(axes), "(C4) a grid of shape ",
             grid, " for x of shape ", x);
  const GridTaps taps(*this, x.subspan(2, axes));
  const int64_t plane = volume(x.subspan(2, axes)), places = volume(out.subspan(2, axes));
  const int64_t planes = x[1], width = layout == Layout::blocks ? kernels::kChannelBlock : 1;
  check_data(plane <= std::numeric_limits<std::int32_t>::max(), "planes of ", plane, " elements");
  if (volume(out) == 0) return;
  const kernels::KernelTable& table = kernels::kernels(isa);
  share_places(io,
               {.sets = x[0], .places = places, .channels = planes * width, .picks = taps.count()},
               [&](int64_t item, int64_t first, int64_t n, WeightedPicks& picks) {
                 GridTaps::Tap found[WeightedPicks::kMostTaps];
                 const float* place = io.inputs[1].as<float>() +
                                      (item * places + first) * static_cast<int64_t>(axes);
                 for (int64_t i = 0; i < n; ++i, place += axes) {
                   taps.at(place, found);
                   picks.set(i, found);
                 }
                 if (width == 1) picks.find_pairs(n);
                 for (int64_t c = item * planes; c < (item + 1) * planes; ++c) {
                   const float* from = io.inputs[0].as<float>() + c * plane * width;
                   float* to = io.outputs[0].as<float>() + (c * places + first) * width;
                   width == 1 ? picks.sample(from, n, to) : picks.sample_blocks(table, from, n, to);
                 }
               });
}

std::string GridSampleKernel::explain(Facts, Facts) const {
  if (layout == Layout::planes) return "weighted picks, found once for all channels";
  return cat("weighted picks, found once for all channels, of blocks of ", kernels::kChannelBlock,
             " channels");
}

/// GridSample of up to three axes, x and grid of f32 -> GridSampleKernel, of blocks where there are
/// channels enough
Rewrite lower_grid_sample(const NodeView& node, const Target& target) {
  const GridSample* sample = node.op().as<GridSample>();
  if (!sample || !is_f32(node.input_fact(0)) || !is_f32(node.input_fact(1))) return no_change;
  const ShapeFact &x = node.input_fact(0).shape, &grid = node.input_fact(1).shape;
  if (!x.is_known() || !grid.is_known() || x.rank() > WeightedPicks::kMostAxes + 2)
    return no_change;
  if (!pays_in_blocks(*sample, x, grid))
    return replace(node, GridSampleKernel{*sample, Layout::planes, target.isa}, node.inputs());
  Patch patch(node);
  const OutletId blocks = patch.wire_one("blocks", BlockChannels{}, {node.input(0)});
  const OutletId y = patch.wire_one("", GridSampleKernel{*sample, Layout::blocks, target.isa},
                                    {blocks, node.input(1)});
  patch.shunt(node.output(), patch.wire_as("planes", UnblockChannels{*x[1].constant()}, {y},
                                           {node.output_fact()})[0]);
  return patch;
}

}  // namespace strata
