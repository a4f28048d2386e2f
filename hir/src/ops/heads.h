#pragma once

#include "strata/hir/builder.h"

/// What the expansions of attention ops share: sizes, heads, and products of grouped heads.
namespace strata::hir {

/// `x` under a target shape in which 0 copies the size of an axis, and -1 is worked out.
OutletId split_into(Builder& b, OutletId x, const Shape& target);
/// The size of one axis, an i64 vector of one element.
OutletId size_of_axis(Builder& b, OutletId x, std::int64_t axis);
/// 0, 1, .. as many as a vector of one element says, i64.
OutletId positions(Builder& b, OutletId count);
/// The rank of an operand, which the expansion cannot do without. Throws: unsupported when it is
/// open.
std::size_t required_rank(const Builder& b, OutletId x, std::string_view what);

/// [batch, steps, heads * size] as [batch, heads, steps, size].
OutletId split_heads(Builder& b, OutletId x, std::int64_t heads);
/// [batch, heads, steps, size] as [batch, steps, heads * size].
OutletId join_heads(Builder& b, OutletId x);

/// Throws: invalid_model unless the heads of queries are a multiple of those of keys.
void check_heads(std::int64_t queries, std::int64_t keys);

/// Whether the product is with the right operand as it is, or with its last two axes swapped.
enum class RightSide { as_is, transposed };
/// x [batch, q_heads, m, k] times y [batch, kv_heads, k, n], where q_heads / kv_heads heads in a
/// row share one of y: [batch, q_heads, m, n].
OutletId grouped_product(Builder& b, OutletId x, OutletId y, RightSide side);

/// `x` times the factor, or by default times 1 / sqrt(its last axis).
OutletId scaled_query(Builder& b, OutletId x, std::optional<double> factor);

}  // namespace strata::hir
