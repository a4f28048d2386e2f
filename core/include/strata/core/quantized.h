#pragma once

#include "strata/core/builder.h"

/// Steps that quantized ops of all formats share: out of the integers, and back into them.
namespace strata {

/// x - zero_point in `wide`; x alone when the zero point is absent.
OutletId centred(Builder& b, OutletId x, OutletId zero_point, DatumType wide);

/// A value for each row of a matrix made to broadcast against the matrix: a vector gets a last axis
/// of size 1.
OutletId per_row(Builder& b, OutletId rows, OutletId matrix);

/// A vector with `axes` axes of size 1 appended, where `axes` is the rank of `like` less `leading`;
/// a scalar as it is.
OutletId along_leading_axis(Builder& b, OutletId vector, OutletId like, std::int64_t leading);

/// round(sums * multiplier + zero_point) as `type`, at its ends for what lies beyond them.
OutletId requantized(Builder& b, OutletId sums, OutletId multiplier, OutletId zero_point,
                     DatumType type);

/// x_scale * w_scale / y_scale
OutletId multiplier(Builder& b, OutletId x_scale, OutletId w_scale, OutletId y_scale);

}  // namespace strata
