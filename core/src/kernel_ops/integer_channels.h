#pragma once

#include "kernel_ops/integer_conv_kernel.h"

/// Convolutions of bytes whose outputs sum up one channel each: by kernels of floats, which hold sums so
/// small exactly, for some channels at a time.
namespace strata {

/// Whether convolutions of this kind sum up one channel each, for images of any size.
bool is_by_channels(const kernels::ConvShape& shape, Isa isa);

/// Bytes of scratch memory for one part of the work.
std::size_t channels_scratch(const IntegerConvKernel& op, Span x, Span y);

/// Runs a kernel whose weights are floats.
void convolve_channels(const IntegerConvKernel& op, const KernelIo& io);

}  // namespace strata
