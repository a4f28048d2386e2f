#include "kernel_ops/transposition.h"

#include <numeric>

#include "kernel_ops/attention_kernel.h"
#include "kernel_ops/matmul_kernel.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/transpose_kernel.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata {
namespace {

Tensor axes_tensor(const Perm& axes) { return Tensor::vector(std::span<const std::int64_t>(axes)); }

}  // namespace

std::optional<Perm> transposition(const NodeView& node) {
  const Transpose* portable = node.op().as<Transpose>();
  const TransposeKernel* kernel = node.op().as<TransposeKernel>();
  if (!portable && !kernel) return std::nullopt;
  const ShapeFact& shape = node.input_fact(0).shape;
  if (shape.is_open()) return std::nullopt;
  Perm perm = portable ? portable->perm : kernel->perm;
  if (perm.empty()) {
    perm.resize(shape.rank());
    std::iota(perm.rbegin(), perm.rend(), 0);
  }
  return perm;
}

Perm inverse(const Perm& perm) {
  Perm out(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i)
    out[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
  return out;
}

Perm composed(const Perm& first, const Perm& second) {
  if (first.empty()) return second;
  if (second.empty()) return first;
  Perm out;
  for (const std::int64_t axis : second) out.push_back(first[static_cast<std::size_t>(axis)]);
  return out;
}

Fact permuted(const Fact& fact, const Perm& perm) {
  if (perm.empty()) return fact;
  const Fact* in[] = {&fact};
  return Transpose{perm}.output_facts(Facts(in))[0];
}

namespace {

/// The orders of an attention's operands.
constexpr Perm AttentionKernel::*kAttended[] = {&AttentionKernel::perm_q, &AttentionKernel::perm_k,
                                                &AttentionKernel::perm_v};

}  // namespace

std::optional<Perm> stepping_order(const TypedOp& op, std::size_t slot) {
  if (const MatMulKernel* matmul = op.as<MatMulKernel>()) {
    if (slot > 1 || (slot == 1 && matmul->packed_k != 0)) return std::nullopt;
    return slot == 0 ? matmul->perm_a : matmul->perm_b;
  }
  const AttentionKernel* attention = op.as<AttentionKernel>();
  if (!attention || slot >= std::size(kAttended)) return std::nullopt;
  return attention->*kAttended[slot];
}

TypedOp with_stepping_order(const TypedOp& op, std::size_t slot, const Perm& perm) {
  if (const MatMulKernel* own = op.as<MatMulKernel>()) {
    MatMulKernel matmul = *own;
    (slot == 0 ? matmul.perm_a : matmul.perm_b) = perm;
    return matmul;
  }
  AttentionKernel attention = *op.as<AttentionKernel>();
  attention.*kAttended[slot] = perm;
  return attention;
}

bool keeps_lines(const Perm& perm) {
  const auto innermost = static_cast<std::int64_t>(perm.size()) - 1;
  return perm.size() >= 2 && (perm.back() == innermost || perm[perm.size() - 2] == innermost);
}

/// Transpose(x) that moves axes of size 1 only -> Unsqueeze(Squeeze(x)), which copies nothing
Rewrite view_transpose(const NodeView& node, const Target&) {
  const auto perm = transposition(node);
  if (!perm || bit_width(node.input_fact(0).dtype) < 8) return no_change;
  const ShapeFact& shape = node.input_fact(0).shape;
  const auto is_unit = [&](std::int64_t axis) {
    return shape[static_cast<std::size_t>(axis)] == Dim(1);
  };
  Perm squeezed, unsqueezed;
  std::int64_t last = -1;
  for (std::size_t i = 0; i < perm->size(); ++i) {
    if (is_unit(static_cast<std::int64_t>(i))) squeezed.push_back(static_cast<std::int64_t>(i));
    if (is_unit((*perm)[i])) {
      unsqueezed.push_back(static_cast<std::int64_t>(i));
    } else {
      if ((*perm)[i] < last) return no_change;
      last = (*perm)[i];
    }
  }
  Patch patch(node);
  const OutletId core =
      patch.wire_one("squeezed", Squeeze{},
                     {node.input(0), patch.constant("squeezed_axes", axes_tensor(squeezed))});
  patch.shunt(node.output(),
              patch.wire_one("", Unsqueeze{},
                             {core, patch.constant("unsqueezed_axes", axes_tensor(unsqueezed))}));
  return patch;
}

}  // namespace strata
