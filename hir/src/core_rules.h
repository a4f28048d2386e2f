#pragma once

#include <span>
#include <string_view>

#include "ops/arithmetic.h"
#include "strata/hir/inference_op.h"

/// The rules of core ops that ONNX has in the same form (Direct, WithOperands): a table a family,
/// one function for ops that share equations.
namespace strata::hir {

/// A core op, and its operands that are attributes in an old version of ONNX.
struct CoreOp {
  const TypedOp& op;
  std::span<const Tensor> operands;
};

struct CoreRules {
  std::string_view op;
  void (*rules)(Rules&, const CoreOp&);
};

/// Ops that move axes and elements.
std::span<const CoreRules> moving_rules();
/// Ops that pick and place elements.
std::span<const CoreRules> picking_rules();
std::span<const CoreRules> image_rules();
/// Sums of products, determinants and draws.
std::span<const CoreRules> number_rules();
/// Strings and other categories.
std::span<const CoreRules> text_rules();
/// Sequences and optionals.
std::span<const CoreRules> container_rules();

inline PortProxy data_of(const Rules& r) { return r.input(0, "data"); }
inline PortProxy out_of(const Rules& r) { return r.output(0, "output"); }

void same_dtype(Rules& r, const CoreOp& core);
void same_rank(Rules& r, const CoreOp& core);
void same_type(Rules& r, const CoreOp& core);
/// The dims of two ports agree off `axis`.
void same_off_axis(Rules& r, const PortProxy& a, const PortProxy& b, std::int64_t axis);

}  // namespace strata::hir
