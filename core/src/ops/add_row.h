#pragma once

#include <cstddef>
#include <cstdint>

#include "strata/core/datum_type.h"

namespace strata {

/// sums[i * step] += x[i], i < n.
using AddRow = void (*)(const std::byte* x, std::int64_t n, std::int64_t step, std::byte* sums);

/// The loop for f32, f64 or i64, to be summed as f64, or as i64 that wraps.
AddRow add_row_of(DatumType type);

}  // namespace strata
