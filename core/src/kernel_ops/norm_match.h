#pragma once

#include "kernel_ops/cell_match.h"
#include "strata/core/only_number.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/unary.h"

namespace strata {

/// What a norm is taken of.
struct FoundNorm {
  OutletId x;
  float epsilon;
};

/// Looks backward from the wires of a model for the parts of norms along the last axis.
class NormMatch {
 public:
  explicit NormMatch(const TypedModel& model) : model_(model), cells_(model) {}

  const CellMatch& cells() const { return cells_; }

  /// What `op` makes `wire` from.
  std::optional<OutletId> behind(UnaryOp op, OutletId wire) const {
    const Unary* unary = maker(wire).op.as<Unary>();
    return unary && unary->op == op ? std::optional(maker(wire).inputs[0]) : std::nullopt;
  }

  /// What `wire` is the mean of.
  std::optional<OutletId> behind_mean(OutletId wire) const {
    const TypedNode& node = maker(wire);
    const Reduce* reduce = node.op.as<Reduce>();
    if (!reduce || reduce->op != Reduction::mean || !reduce->keep_dims || node.inputs.size() != 2)
      return std::nullopt;
    const auto axis = only_integer(cells_.fact(node.inputs[1]));
    const ShapeFact& shape = cells_.fact(node.inputs[0]).shape;
    if (!axis || shape.is_open()) return std::nullopt;
    const auto last = static_cast<std::int64_t>(shape.rank()) - 1;
    return *axis == -1 || *axis == last ? std::optional(node.inputs[0]) : std::nullopt;
  }

  /// The epsilon where `sum` is mean(x^2) + epsilon.
  std::optional<float> epsilon_beside_squares(OutletId sum, OutletId x) const {
    const auto add = cells_.binary(BinaryOp::add, sum);
    if (!add) return std::nullopt;
    for (const auto& [mean, added] : both_orders(*add)) {
      const auto squares = behind_mean(mean);
      if (const auto epsilon = number(added); epsilon && squares && is_square(*squares, x))
        return epsilon;
    }
    return std::nullopt;
  }

 private:
  const TypedNode& maker(OutletId wire) const { return model_.node(wire.node); }

  bool is_square(OutletId wire, OutletId x) const {
    if (const auto of = behind(UnaryOp::square, wire)) return *of == x;
    if (const auto mul = cells_.binary(BinaryOp::mul, wire)) return *mul == Operands{x, x};
    const auto pow = cells_.binary(BinaryOp::pow, wire);
    return pow && (*pow)[0] == x && number((*pow)[1]) == 2.0F;
  }

  std::optional<float> number(OutletId wire) const { return number_in(cells_.fact(wire)); }

  const TypedModel& model_;
  CellMatch cells_;
};

}  // namespace strata
