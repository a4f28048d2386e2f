#pragma once

#include "strata/hir/builder.h"

/// Values for each row, column or channel, made to broadcast against what has them. Where a rank is
/// unknown, each run decides.
namespace strata::hir {

/// 1 where `x` is a vector and 0 elsewhere, as an i64 scalar.
OutletId is_vector(Builder& b, OutletId x);

/// `x` with axes of size 1 appended, as many as the i64 scalar `count` says.
OutletId with_axes_after(Builder& b, OutletId x, OutletId count);

/// A value for each row of a matrix made to broadcast against the matrix: a vector gets a last axis
/// of size 1, unless the matrix is a vector too.
OutletId per_row(Builder& b, OutletId rows, OutletId matrix);

/// A value for each row of the product of `left` and `right` made to broadcast against the product:
/// a vector lies along the axis that `left` gives, before that of `right`. Either gives none when it
/// is a vector.
OutletId per_product_row(Builder& b, OutletId rows, OutletId left, OutletId right);

/// A value for each column of the product of `left` and `right` made to broadcast against the
/// product: a vector is a scalar where the product has no axis.
OutletId per_product_column(Builder& b, OutletId columns, OutletId left, OutletId right);

/// A vector that has one number for each channel of `x`, of [N, C, ..]; an `x` of one axis has one
/// channel. Where only a run tells how many they are, it fails if the vector has not as many.
OutletId for_each_channel(Builder& b, OutletId vector, OutletId x);

/// A vector of one number a channel, shaped to stretch over `x` of [N, C, ..].
OutletId per_channel(Builder& b, OutletId vector, OutletId x);

/// A vector of one number a channel made to broadcast against `x` of [N, C, ..]. What is no vector
/// stays as it is, as all do where `x` has one axis.
OutletId along_channels(Builder& b, OutletId values, OutletId x);

/// A vector with `axes` axes of size 1 appended, where `axes` is the rank of `like` less `leading`;
/// a scalar as it is.
OutletId along_leading_axis(Builder& b, OutletId vector, OutletId like, std::int64_t leading);

}  // namespace strata::hir
