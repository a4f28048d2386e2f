#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strata/core/tensor.h"

/// A total order of numbers, in which NaN is the greatest and equal to itself, and both zeros are
/// equal. It is that of keys, so that what sorts or looks up needs one form for all types.
namespace strata {

/// Writes the keys of the elements at `from`, `step` apart. Throws: internal for types without
/// keys, strings among them.
void write_order_keys(DatumType dtype, const std::byte* from, std::int64_t step,
                      std::span<std::uint64_t> keys);
/// The keys of all elements.
std::vector<std::uint64_t> order_keys(const Tensor& tensor);

}  // namespace strata
