#pragma once

#include "strata/hir/builder.h"

/// Values for each row or channel, made to broadcast against what has the rows or channels.
namespace strata::hir {

/// A value for each row of a matrix made to broadcast against the matrix: a vector gets a last axis
/// of size 1.
OutletId per_row(Builder& b, OutletId rows, OutletId matrix);

/// A vector with `axes` axes of size 1 appended, where `axes` is the rank of `like` less `leading`;
/// a scalar as it is.
OutletId along_leading_axis(Builder& b, OutletId vector, OutletId like, std::int64_t leading);

}  // namespace strata::hir
