#pragma once

#include "kernels/impl/deconv_plan.h"

/// The scratch memory of the transpose of a convolution, and the classes of phases that are listed
/// in it.
namespace strata::kernels {
namespace {

/// A class as its products are made.
struct PhaseClass {
  Index phases;
  Index panel;  ///< rows of a panel
  Index taps;
  const Index* offsets;  ///< of the taps in a strip
  Index weights;         ///< where they begin in those of a block
  Index row;             ///< where its rows begin among the sums
};

/// The row of sums of a phase of the first channel, and the step to the next one's.
struct PhaseRow {
  Index row;
  Index step;
};

/// What lies in the scratch memory.
struct DeconvScratch {
  PhaseClass* classes;
  PhaseRow* rows;
  Index* offsets;
  float* strip;
  float* sums;  ///< rows of kTileColumns
  float* bias;  ///< one per row of sums
  Index class_count;
};

/// Cuts memory into its parts; returns where they end.
inline std::uintptr_t place_scratch(const ConvShape& s, const DeconvPlan& plan, std::uintptr_t at,
                                    DeconvScratch& out) {
  constexpr Index kLine = 64;
  const auto take = [&](auto*& part, Index count) {
    part = reinterpret_cast<std::remove_reference_t<decltype(part)>>(at);
    at += static_cast<std::uintptr_t>(round_up(count * static_cast<Index>(sizeof *part), kLine));
  };
  const Index rows = plan.group * plan.phases;
  take(out.classes, plan.phases);
  take(out.rows, plan.phases);
  take(out.offsets, volume(s.window.kernel));
  take(out.strip, strip_floats(s, plan));
  take(out.sums, rows * kTileColumns);
  take(out.bias, rows);
  return at;
}

[[gnu::cold]] std::size_t deconv_scratch(const ConvShape& s) noexcept {
  DeconvScratch parts;
  return place_scratch(s, plan_deconv(s), 0, parts);
}

/// Lists the classes and where their phases find their sums.
inline void list_classes(const ConvShape& s, const DeconvPlan& plan, DeconvScratch& scratch) {
  const Window& w = s.window;
  PhaseClass next{0, 0, 0, scratch.offsets, 0, 0};
  Index* offset = scratch.offsets;
  scratch.class_count = 0;
  for_each_class(w, [&](const PhaseBox& box) {
    next.phases = box.phases();
    next.panel = class_panel(plan, box);
    next.taps = box.taps();
    next.offsets = offset;
    const auto from = [&](int a, Index tap) {
      return plan.reach[a] + box.runs[a].shift - tap * tap_step(w, a).shifts;
    };
    for_each_tap(box, [&](Index z, Index y, Index x) {
      *offset++ = (from(0, z) * plan.extent[1] + from(1, y)) * plan.extent[2] + from(2, x);
    });
    Index row = next.row;
    for_each_phase(box, [&](Index z, Index y, Index x) {
      scratch.rows[(z * w.stride[1] + y) * w.stride[2] + x] = {row++, next.phases};
    });
    scratch.classes[scratch.class_count++] = next;
    next.row += plan.group * next.phases;
    next.weights += class_weights(s, plan, box);
  });
}

}  // namespace
}  // namespace strata::kernels
