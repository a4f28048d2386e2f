#pragma once

#include <array>

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/matmul.h"

namespace strata {

using Operands = std::array<OutletId, 2>;
inline std::array<Operands, 2> both_orders(const Operands& operands) {
  return {operands, {operands[1], operands[0]}};
}

/// A scalar function and what it is applied to.
struct AppliedFunction {
  KernelFunction function;
  OutletId operand;
};

/// Elements [begin, begin + size) of `whole` along its last axis, cut out by node `maker`.
struct WirePart {
  OutletId whole;
  std::int64_t begin = 0;
  std::int64_t size = 0;
  std::uint32_t maker = 0;
};

/// A product with a constant matrix of rank 2.
struct ConstantProduct {
  MatMul op;
  OutletId left;
  const Tensor* right = nullptr;
};

/// product + addends, each addend either as large as the product or one row of it. If the product
/// has only one row, the first addend counts as a row.
struct Projection {
  ConstantProduct product;
  OutletIds whole;
  OutletIds rows;
};

/// Looks backward from the wires of a model for what recurrent cells are made of. An inner wire is
/// read once and is not an output, so that nothing is lost when its maker goes.
class CellMatch {
 public:
  explicit CellMatch(const TypedModel& model) : model_(model) {}

  const Fact& fact(OutletId wire) const { return model_.fact(wire); }
  bool is_inner(OutletId wire) const;
  /// Whether `count` places read the wire, and it is not an output.
  bool has_readers(OutletId wire, std::size_t count) const;
  /// Whether it is a constant of one element that is 1.
  bool is_one(OutletId wire) const;
  /// The size of the last axis, where it is an integer.
  std::optional<std::int64_t> width(OutletId wire) const;

  /// The operands of the f32 Binary that makes `wire`.
  std::optional<Operands> binary(BinaryOp op, OutletId wire) const;
  std::optional<Operands> inner_binary(BinaryOp op, OutletId wire) const;
  std::optional<AppliedFunction> function(OutletId wire) const;
  std::optional<AppliedFunction> inner_function(OutletId wire) const;
  /// `wire` as an inner part of another, cut out by Split or Slice.
  std::optional<WirePart> part(OutletId wire) const;
  std::optional<ConstantProduct> product(OutletId wire) const;
  /// `whole` as a sum with one product, all inner but `whole` itself.
  std::optional<Projection> projection(OutletId whole) const;

 private:
  const TypedNode& maker(OutletId wire) const { return model_.node(wire.node); }
  std::optional<WirePart> split_part(const TypedNode& node, std::uint32_t slot) const;
  std::optional<WirePart> slice_part(const TypedNode& node) const;
  bool add_term(Projection& out, OutletId whole, OutletId term) const;

  const TypedModel& model_;
};

/// The wire that views lead back to, with the same elements in rows of the same width.
OutletId behind_views(const TypedModel& model, OutletId wire);
/// The sum of wires; for constants, a constant. Nothing if there are no wires.
std::optional<OutletId> wire_sum(Patch& patch, std::string_view name, const OutletIds& wires);

}  // namespace strata
