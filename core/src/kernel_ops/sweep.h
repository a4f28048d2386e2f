#pragma once

#include <algorithm>

#include "kernels/table.h"
#include "strata/core/kernel_io.h"

namespace strata {

/// The order in which the columns of weights are gone through.
enum class Sweep { forward, backward };

/// The other order than in the previous run: the weights used last are used first, while the caches
/// still have them.
inline Sweep sweep_of(const KernelIo& io) noexcept {
  return io.turn % 2 == 0 ? Sweep::forward : Sweep::backward;
}

/// How many weights a backward sweep goes through forward before it jumps back: at least so many
/// that a jump costs little in comparison, and an eighth of all.
inline constexpr kernels::Index kFloatsAtOnce = kernels::Index{1} << 15;

/// Computes some columns of a product whose right operand is packed; they must begin where the
/// table allows it. Only single rows are swept backward, since several read the weights by blocks.
inline void sweep_columns(const kernels::KernelTable& table, const kernels::Gemm& gemm,
                          kernels::Range columns, Sweep sweep, void* scratch) noexcept {
  const kernels::Index size = columns.end - columns.begin, floats = size * gemm.k;
  if (gemm.m != 1 || sweep == Sweep::forward || floats <= kFloatsAtOnce)
    return table.gemm(gemm, {0, gemm.m}, columns, scratch);
  const kernels::Index panel = table.gemm_column_step(),
                       wanted = std::max(kFloatsAtOnce, floats / 8),
                       step = std::max<kernels::Index>(1, wanted / (panel * gemm.k)) * panel;
  for (kernels::Index begin = columns.begin + (size - 1) / step * step; begin >= columns.begin;
       begin -= step)
    table.gemm(gemm, {0, 1}, {begin, std::min(begin + step, columns.end)}, scratch);
}

}  // namespace strata
