#pragma once

#include <optional>

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/matmul.h"

/// Constant weights of f16 and bf16 that stay so in their packed panels.
namespace strata {

/// The narrow floats behind the f32 weights `b` of a product of shape `y`, where keeping them is
/// worthwhile.
std::optional<Tensor> halves_worth_keeping(const Tensor& b, const ShapeFact& y, Isa isa);

/// The right operand of `op`, of rank 2 and narrow floats, packed for `isa` as NarrowForm says.
Tensor pack_halves(const MatMul& op, const Tensor& b, Isa isa);

}  // namespace strata
