#pragma once

#include <optional>
#include <vector>

#include "strata/core/fact.h"
#include "strata/core/ops/support.h"

/// What the ops that only move elements share.
namespace strata {

/// The elements of `data` at `offset` plus the sum of index times stride, for each index of
/// `shape`.
Tensor strided_copy(const Tensor& data, Span shape, Span strides, std::int64_t offset = 0);

/// Adds dims at the end.
void append(std::vector<Dim>& to, std::span<const Dim> dims);

/// Copies `count` elements of any type from one place to another.
void copy_elements(const Tensor& from, std::int64_t first, std::int64_t count, MutableTensor& to,
                   std::int64_t place);

[[noreturn]] void refuse_index(std::int64_t index, std::int64_t extent);
/// `index`, counted from the end when negative. Throws: run_time when it is outside an axis of
/// `extent`.
inline std::int64_t checked_index(std::int64_t index, std::int64_t extent) {
  const std::int64_t at = index < 0 ? index + extent : index;
  if (static_cast<std::uint64_t>(at) >= static_cast<std::uint64_t>(extent))
    refuse_index(index, extent);
  return at;
}

/// max(dim, 0), or `dim` itself where that is sure to be the same (symbols are sizes).
Dim at_least_zero(const Dim& dim);
/// Whether `dim` is never negative, symbols being sizes.
bool is_never_negative(const Dim& dim);

/// The number of elements of a vector (1 for a scalar), when it is known.
std::optional<std::int64_t> known_length(const Fact& vector);

/// A size that is given as a tensor of one number, when it is known.
std::optional<Dim> known_size(const Fact& number);

/// Sorted, non-negative axes from a constant `axes` operand; nothing when the operand is not
/// constant. Throws: invalid_model when an axis is outside the rank or named twice.
std::optional<std::vector<std::size_t>> known_axes(const Fact& axes, std::size_t rank);
/// The same for a tensor met in a run; throws run_time.
std::vector<std::size_t> sorted_axes(const Tensor& axes, std::size_t rank);

/// 0, 1, … up to `rank`.
Shape all_axes(std::size_t rank);

/// As `normalized_axis`, but a wrong axis is an error of the data.
std::size_t axis_of_data(std::int64_t axis, std::size_t rank);

}  // namespace strata
