#pragma once

#include <array>

#include "kernels/table.h"
#include "strata/core/cpu.h"
#include "strata/core/ops/support.h"
#include "strata/core/transform.h"

namespace strata {

constexpr std::array<std::pair<Isa, std::string_view>, 4> enumerators(Isa) {
  return {{{Isa::baseline, "baseline"},
           {Isa::avx2_fma, "avx2_fma"},
           {Isa::avx512, "avx512"},
           {Isa::amx, "amx"}}};
}

/// Which scalar function a kernel applies before it stores.
struct KernelFunction {
  kernels::Unary op = kernels::Unary::identity;
  float alpha = 0;
  float beta = 0;
  bool operator==(const KernelFunction&) const = default;
  bool is_identity() const { return op == kernels::Unary::identity; }
  kernels::UnaryFunction call() const { return {op, alpha, beta}; }
};
AttrValue to_attr(const KernelFunction& function);
void from_attr(const AttrValue& value, KernelFunction& function);

/// The function that a Unary, an Activation or a UnaryKernel applies, when it is one that the
/// kernels have.
std::optional<KernelFunction> kernel_function(const TypedOp& op);

/// One function after another, where a single function does both.
std::optional<KernelFunction> composed(const KernelFunction& first, const KernelFunction& second);

/// Whether the node adds two tensors of its output's shape.
bool adds_alike(const NodeView& node);

/// Shapes of a higher rank are left to the portable op.
inline constexpr std::size_t kMaxKernelRank = 8;

inline bool is_f32(const Fact& fact) { return fact.is_tensor() && fact.dtype == DatumType::f32; }

/// The number in a constant f32 of one element. It may have any rank, and one of a higher rank than
/// the other operand raises the rank of the result: callers check that.
std::optional<float> number_in(const Fact& fact);

/// The product of the sizes. Unlike element_count it never throws, as kernels must not.
inline std::int64_t volume(Span sizes) noexcept {
  std::int64_t out = 1;
  for (const std::int64_t size : sizes) out *= size;
  return out;
}

}  // namespace strata
