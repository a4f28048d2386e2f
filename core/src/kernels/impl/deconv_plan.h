#pragma once

#include "kernels/impl/deconv_phases.h"
#include "kernels/impl/gemm_driver.h"

/// How the transpose of a convolution is cut into tasks, and where its weights and its scratch lie.
namespace strata::kernels {
namespace {

constexpr Index kDeconvRows = 128;  ///< of sums that wait to be put together, about
constexpr Index kStripFloats =
    64 * 1024;  ///< of a strip of inputs: 256 kB, which a second cache keeps
constexpr Index kEnoughDeconvTasks = 4;  ///< of which two threads, or four, get as many each

/// Elements of one place along the axis.
inline Index slab_of(const Index (&extent)[3], int axis) {
  Index size = 1;
  for (int i = axis + 1; i < 3; ++i) size *= extent[i];
  return size;
}

/// The first axis there is.
inline int first_axis(const Window& w) {
  for (int i = 0; i < 2; ++i) {
    if (w.in[i] != 1 || w.out[i] != 1 || w.kernel[i] != 1) return i;
  }
  return 2;
}

/// Places along an axis hold one output of each phase. They read inputs from `reach` before them
/// on.
struct DeconvPlan {
  Index phases;
  Index first[3];   ///< place with the first output that is not cut off
  Index places[3];  ///< from there to the last
  Index reach[3];
  Index extent[3];  ///< inputs that the places read, padding included
  Index group;      ///< channels of a block
  Index blocks;
  int axis;    ///< that strips are cut along
  Index step;  ///< places of a strip along it
  Index strips;
  Index plane;  ///< floats of a channel in a strip
};

/// Channels of a block, so that their sums stay in the nearest cache.
inline Index block_channels(const ConvShape& s) {
  const Index phases = volume(s.window.stride);
  const Index most = kDeconvRows > phases ? kDeconvRows / phases : 1;
  return s.in_channels == 0 ? 1 : ceil_div(s.in_channels, ceil_div(s.in_channels, most));
}

/// Places of a strip along its axis; no more than all, and enough to make up for those read twice.
inline Index strip_places(const ConvShape& s, const DeconvPlan& plan) {
  const Index slab = slab_of(plan.extent, plan.axis), reach = plan.reach[plan.axis];
  const Index fitting = kStripFloats / (s.out_channels * slab + 1) - reach, least = 4 * reach + 1;
  return min_of(fitting > least ? fitting : least, plan.places[plan.axis]);
}

[[gnu::noinline]] inline DeconvPlan plan_deconv(const ConvShape& s) {
  const Window& w = s.window;
  DeconvPlan plan{};
  plan.phases = volume(w.stride);
  for (int a = 0; a < 3; ++a) {
    plan.first[a] = floor_div(w.pad[a], w.stride[a]);
    plan.places[a] = floor_div(w.pad[a] + w.in[a] - 1, w.stride[a]) - plan.first[a] + 1;
    plan.reach[a] = (w.kernel[a] - 1) * w.dilation[a] / w.stride[a];
    plan.extent[a] = plan.places[a] + plan.reach[a];
  }
  plan.group = block_channels(s);
  plan.blocks = ceil_div(s.in_channels, plan.group);
  plan.axis = first_axis(w);
  const Index places = plan.places[plan.axis], most = strip_places(s, plan);
  const Index tasks = s.batch * s.groups * plan.blocks;
  const Index wanted =
      tasks < kEnoughDeconvTasks ? max_of(1, min_of(kEnoughDeconvTasks, places)) : 1;
  const Index needed = ceil_div(places, max_of(1, most));
  plan.step = ceil_div(places, max_of(needed, wanted));
  plan.strips = ceil_div(places, max_of(1, plan.step));
  const Index strip = (plan.step + plan.reach[plan.axis]) * slab_of(plan.extent, plan.axis);
  plan.plane = round_up(strip, kLineFloats);
  if (plan.plane % kPageFloats == 0) plan.plane += kLineFloats;
  return plan;
}

/// Floats that a strip takes at most, with what whole vectors read behind it; no less for more
/// places.
inline Index strip_floats(const ConvShape& s, const DeconvPlan& plan) {
  const Index slab = slab_of(plan.extent, plan.axis) * s.out_channels;
  const Index reach = plan.reach[plan.axis], least = (5 * reach + 1) * slab;
  const Index most = least > kStripFloats ? least : kStripFloats;
  return min_of(most, (plan.places[plan.axis] + reach) * slab) + 2 * kLineFloats * s.out_channels +
         kTileColumns;
}

/// Rows of the panels of a class: of some phases of all channels of a block.
inline Index class_panel(const DeconvPlan& plan, const PhaseBox& box) {
  return panel_rows(plan.group * box.phases());
}

/// Floats of the weights of a class, for one block.
inline Index class_weights(const ConvShape& s, const DeconvPlan& plan, const PhaseBox& box) {
  return round_up(plan.group * box.phases(), class_panel(plan, box)) * box.taps() * s.out_channels;
}

/// The same of all classes.
[[gnu::noinline, gnu::cold]] inline Index block_weights(const ConvShape& s, const DeconvPlan& plan) {
  Index floats = 0;
  for_each_class(s.window, [&](const PhaseBox& box) { floats += class_weights(s, plan, box); });
  return floats;
}

}  // namespace
}  // namespace strata::kernels
