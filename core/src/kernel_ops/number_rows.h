#pragma once

#include <cstddef>
#include <cstdint>

#include "strata/core/cpu.h"
#include "strata/core/ops/binary.h"

namespace strata {

/// y[i] = function of a[i] and b[i], i < n; y may be the memory of a or b where it has their type.
using NumberRow = void (*)(const std::byte* a, const std::byte* b, std::byte* y, std::int64_t n);

/// A row function with `takes_swapped`: b goes first.
struct FastRow {
  NumberRow row = nullptr;
  bool takes_swapped = false;
};

/// The function made for this type, or none where the plain loop over `binary_row` serves well
/// enough. Those for quotients and remainders of integers do not take a divisor of 0.
FastRow fast_row(BinaryOp op, DatumType type);

/// That for a comparison; `y` must not be the memory of an operand.
FastRow comparison_row(BinaryOp op, DatumType type, Isa isa);

}  // namespace strata
