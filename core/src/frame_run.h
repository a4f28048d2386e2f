#pragma once

#include <span>

#include "wavefront.h"

namespace strata {

/// Runs steps whose addresses are set: one after the other or, where the context has threads, those
/// of a wavefront side by side. Throws: run_time, limit, cancelled, naming the node.
void run_steps(RunContext& context, std::span<FrameStep> steps, std::span<const Wavefront> fronts);

}  // namespace strata
