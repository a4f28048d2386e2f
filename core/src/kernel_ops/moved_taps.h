#pragma once

#include "kernel_ops/deform_columns.h"

namespace strata {

/// Axes that taps may be moved along.
inline constexpr std::size_t kMostMovedAxes = 3;
/// Places are sampled so many at once, whose columns fit a first cache; threads share them by as many.
inline constexpr std::int64_t kPlacesTogether = 16;

/// Writes rows of what `op` gives: those of some places, which are the outputs of one item after the
/// other. `sizes` are those of the convolution, of `kMostMovedAxes` axes at most.
void sample_moved_taps(const DeformColumns& op, const ConvGeometry& sizes, const KernelIo& io,
                       kernels::Range places);

}  // namespace strata
