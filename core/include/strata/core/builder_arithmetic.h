#pragma once

#include "strata/core/builder.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/unary.h"

/// Short forms for wiring elementwise ops. A number becomes a scalar of the type of `x`.
namespace strata {

OutletId unary(Builder& b, UnaryOp op, OutletId x);
OutletId binary(Builder& b, BinaryOp op, OutletId x, OutletId y);
/// The same with a number on the right.
OutletId binary(Builder& b, BinaryOp op, OutletId x, double y);

OutletId add(Builder& b, OutletId x, OutletId y);
OutletId add(Builder& b, OutletId x, double y);
OutletId sub(Builder& b, OutletId x, OutletId y);
OutletId sub(Builder& b, OutletId x, double y);
OutletId mul(Builder& b, OutletId x, OutletId y);
OutletId mul(Builder& b, OutletId x, double y);
OutletId div(Builder& b, OutletId x, OutletId y);
OutletId div(Builder& b, OutletId x, double y);
/// 1 - x
OutletId one_minus(Builder& b, OutletId x);

}  // namespace strata
