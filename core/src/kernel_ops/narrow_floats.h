#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

inline std::optional<kernels::NarrowFloat> narrow_float(DatumType type) {
  if (type == DatumType::f16) return kernels::NarrowFloat::f16;
  if (type == DatumType::bf16) return kernels::NarrowFloat::bf16;
  return std::nullopt;
}

/// The constant of narrow floats whose numbers an f32 constant that is still to be computed will
/// hold.
std::optional<Tensor> widened_from(const Tensor& wide);

}  // namespace strata
