#include "kernel_ops/cell_match.h"
#include "strata/core/ops/layer_norm.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/unary.h"

namespace strata {
namespace {

/// Looks backward from x less its mean, divided by its deviation.
class NormMatch {
 public:
  explicit NormMatch(const TypedModel& model) : model_(model), cells_(model) {}

  struct Found {
    OutletId x;
    float epsilon;
  };
  std::optional<Found> find(OutletId quotient) const {
    const auto div = cells_.binary(BinaryOp::div, quotient);
    if (!div) return std::nullopt;
    const auto x = behind_centred((*div)[0]);
    const auto epsilon = behind_deviation((*div)[1], (*div)[0]);
    if (!x || !epsilon || cells_.fact(*x).shape != cells_.fact(quotient).shape) return std::nullopt;
    return Found{*x, *epsilon};
  }

 private:
  const TypedNode& maker(OutletId wire) const { return model_.node(wire.node); }

  /// What `wire` is the mean of, along the last axis.
  std::optional<OutletId> behind_mean(OutletId wire) const {
    const TypedNode& node = maker(wire);
    const Reduce* reduce = node.op.as<Reduce>();
    if (!reduce || reduce->op != Reduction::mean || !reduce->keep_dims || node.inputs.size() != 2)
      return std::nullopt;
    const auto axes = cells_.fact(node.inputs[1]).integers();
    const ShapeFact& shape = cells_.fact(node.inputs[0]).shape;
    if (!axes || axes->size() != 1 || shape.is_open()) return std::nullopt;
    const auto last = static_cast<std::int64_t>(shape.rank()) - 1;
    return (*axes)[0] == -1 || (*axes)[0] == last ? std::optional(node.inputs[0]) : std::nullopt;
  }

  /// The x of x - mean(x).
  std::optional<OutletId> behind_centred(OutletId wire) const {
    const auto sub = cells_.binary(BinaryOp::sub, wire);
    if (!sub || behind_mean((*sub)[1]) != (*sub)[0]) return std::nullopt;
    return (*sub)[0];
  }

  bool is_square(OutletId wire, OutletId x) const {
    const TypedNode& node = maker(wire);
    if (node.op.as<Unary>() && node.op.as<Unary>()->op == UnaryOp::square)
      return node.inputs[0] == x;
    if (const auto mul = cells_.binary(BinaryOp::mul, wire)) return *mul == Operands{x, x};
    const auto pow = cells_.binary(BinaryOp::pow, wire);
    return pow && (*pow)[0] == x && number((*pow)[1]) == 2.0F;
  }

  std::optional<float> number(OutletId wire) const {
    const Tensor* value = cells_.fact(wire).constant();
    if (!value || value->dtype() != DatumType::f32 || value->size() != 1) return std::nullopt;
    return value->as<float>()[0];
  }

  /// The epsilon of sqrt(mean(centred^2) + epsilon).
  std::optional<float> behind_deviation(OutletId wire, OutletId centred) const {
    const Unary* root = maker(wire).op.as<Unary>();
    if (!root || root->op != UnaryOp::sqrt) return std::nullopt;
    const auto sum = cells_.binary(BinaryOp::add, maker(wire).inputs[0]);
    if (!sum) return std::nullopt;
    for (const auto& [variance, added] : both_orders(*sum)) {
      const auto squares = behind_mean(variance);
      if (const auto epsilon = number(added); epsilon && squares && is_square(*squares, centred))
        return epsilon;
    }
    return std::nullopt;
  }

  const TypedModel& model_;
  CellMatch cells_;
};

/// Whether a wire has one number for each element of the last axis of x.
bool is_row_of(const Fact& fact, const Fact& x) {
  return is_f32(fact) && !fact.shape.is_open() && !x.shape.is_open() && fact.shape.rank() == 1 &&
         fact.shape[0] == x.shape.dims().back();
}

}  // namespace

/// (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon), along the last axis -> LayerNorm(x)
Rewrite find_layer_norm(const NodeView& node, const Target&) {
  if (!node.op().as<Binary>()) return no_change;
  const auto found = NormMatch(node.model).find(node.output());
  if (!found) return no_change;
  return replace(node, LayerNorm{.axis = -1, .epsilon = found->epsilon}, {found->x});
}

/// LayerNorm(x) * scale        ->  LayerNorm(x, scale)
/// LayerNorm(x, scale) + bias  ->  LayerNorm(x, scale, bias)
Rewrite extend_layer_norm(const NodeView& node, const Target&) {
  const Binary* binary = node.op().as<Binary>();
  if (!binary || (binary->op != BinaryOp::mul && binary->op != BinaryOp::add)) return no_change;
  const std::size_t inputs = binary->op == BinaryOp::mul ? 1 : 2;
  for (const std::size_t i : {0, 1}) {
    const LayerNorm* norm = node.producer_as<LayerNorm>(i);
    if (!norm || norm->axis != -1 || node.producer(i).inputs().size() != inputs ||
        !node.sole_reader(node.input(i)) || !is_row_of(node.input_fact(1 - i), node.input_fact(i)))
      continue;
    OutletIds extended = node.producer(i).inputs();
    extended.push_back(node.input(1 - i));
    return replace(node, *norm, extended);
  }
  return no_change;
}

}  // namespace strata
