#pragma once

#include "strata/core/builder_arithmetic.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reduce.h"
#include "strata/hir/builder.h"
#include "strata/hir/rules.h"

/// Short forms for expansions into elementwise ops and reductions.
namespace strata::hir {

/// Reduces the axes, which are kept with size 1.
OutletId reduce(Builder& b, Reduction op, OutletId x, OutletId axes);
/// 0 of a type, or the empty string.
OutletId zero_of(Builder& b, DatumType type);
/// `x` as a `type`: itself when it is one already.
OutletId cast_to(Builder& b, OutletId x, DatumType type);

/// The type in which an op of several steps computes numbers of `type`, to round them once: f32 for
/// f16 and bf16.
DatumType computing_type(DatumType type);
/// `x` in its computing type.
OutletId widened(Builder& b, OutletId x);

/// Input `i`; absent when it is left out.
OutletId optional_input(const OutletIds& in, std::size_t i);
/// One number as a scalar, which files also give as a vector; absent when it is.
OutletId scalar_of(Builder& b, OutletId x);
/// The rank of `x` as an i64 scalar wire, known or not.
OutletId rank_of(Builder& b, OutletId x);
/// The axes of `x` from `axis` on, as an i64 vector.
OutletId axes_from(Builder& b, OutletId x, std::int64_t axis);
/// An i64 vector of as many ones as the scalar `count` says.
OutletId ones(Builder& b, OutletId count);
/// `axis` counted from the front when the rank of `x` is known.
std::int64_t settled_axis(const Builder& b, std::int64_t axis, OutletId x);

/// Output 0 is as input 0.
void require_same_shape(Rules& r);
void require_same_dtype(Rules& r);
/// whole == factor * part, for a positive factor.
void require_multiple(Rules& r, const DimProxy& whole, std::int64_t factor, const DimProxy& part);
/// Output 0 is the matrix product of `a` and `b`.
void matmul_rules(Rules& r, const PortProxy& a, const PortProxy& b);
/// Output 0 is the product of the matrices `a` and `b`, transposed as `product` says.
void gemm_rules(Rules& r, const PortProxy& a, const PortProxy& b, const strata::MatMul& product);

}  // namespace strata::hir
