#pragma once

#include "strata/core/builder.h"

/// Steps that quantized ops of all formats share: from integers, and back to them.
namespace strata {

/// x - zero_point in `wide`; x alone when the zero point is absent.
OutletId centred(Builder& b, OutletId x, OutletId zero_point, DatumType wide);

/// round(sums * multiplier + zero_point) as `type`, at its ends for what lies beyond them.
OutletId requantized(Builder& b, OutletId sums, OutletId multiplier, OutletId zero_point,
                     DatumType type);

/// x_scale * w_scale / y_scale
OutletId multiplier(Builder& b, OutletId x_scale, OutletId w_scale, OutletId y_scale);

}  // namespace strata
