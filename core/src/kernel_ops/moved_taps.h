#pragma once

#include "kernel_ops/deform_columns.h"

namespace strata {

/// The most axes along which taps may be moved.
inline constexpr std::size_t kMostMovedAxes = 3;
/// How many places are sampled at once, so that their columns fit a first cache, and shared as one
/// piece.
inline constexpr std::int64_t kPlacesTogether = 16;

/// Writes the rows that `op` gives for some places; places count the outputs of one item after the
/// other. `sizes` are those of the convolution, of at most `kMostMovedAxes` axes.
void sample_moved_taps(const DeformColumns& op, const ConvGeometry& sizes, const KernelIo& io,
                       kernels::Range places);

}  // namespace strata
