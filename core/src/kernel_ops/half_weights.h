#pragma once

#include <optional>

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/matmul.h"

/// Constant weights of f16 and bf16 that stay so in their packed panels.
namespace strata {

/// The narrow floats that the f32 weights `b` of a product of shape `y` are, where it is worth keeping them.
std::optional<Tensor> halves_worth_keeping(const Tensor& b, const ShapeFact& y, Isa isa);

/// The right operand of `op`, of rank 2 and narrow floats, packed for `isa` as NarrowForm has it.
Tensor pack_halves(const MatMul& op, const Tensor& b, Isa isa);

}  // namespace strata
