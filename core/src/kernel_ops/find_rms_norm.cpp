#include "kernel_ops/cell_match.h"
#include "kernel_ops/norm_kernel.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/unary.h"

namespace strata {
namespace {

/// Looks backward from x divided by the root of the mean of its squares.
class RmsMatch {
 public:
  explicit RmsMatch(const TypedModel& model) : model_(model), cells_(model) {}

  struct Found {
    OutletId x;
    float epsilon;
  };

  /// x / root, or x times one by the root.
  std::optional<Found> find(OutletId wire) const {
    if (const auto div = cells_.binary(BinaryOp::div, wire))
      return found((*div)[0], sum_in(UnaryOp::sqrt, (*div)[1]));
    const auto mul = cells_.binary(BinaryOp::mul, wire);
    if (!mul) return std::nullopt;
    for (const auto& [x, factor] : both_orders(*mul))
      if (const auto out = found(x, sum_in_factor(factor))) return out;
    return std::nullopt;
  }

 private:
  const TypedNode& maker(OutletId wire) const { return model_.node(wire.node); }

  /// What `op` makes `wire` of.
  std::optional<OutletId> sum_in(UnaryOp op, OutletId wire) const {
    const Unary* unary = maker(wire).op.as<Unary>();
    return unary && unary->op == op ? std::optional(maker(wire).inputs[0]) : std::nullopt;
  }

  std::optional<OutletId> sum_in_factor(OutletId factor) const {
    if (const auto sum = sum_in(UnaryOp::rsqrt, factor)) return sum;
    if (const auto root = sum_in(UnaryOp::reciprocal, factor)) return sum_in(UnaryOp::sqrt, *root);
    const auto div = cells_.binary(BinaryOp::div, factor);
    return div && cells_.is_one((*div)[0]) ? sum_in(UnaryOp::sqrt, (*div)[1]) : std::nullopt;
  }

  /// Where `sum` is mean(x^2) + epsilon.
  std::optional<Found> found(OutletId x, std::optional<OutletId> sum) const {
    const auto add = sum ? cells_.binary(BinaryOp::add, *sum) : std::nullopt;
    if (!add || !is_f32(cells_.fact(x))) return std::nullopt;
    for (const auto& [mean, added] : both_orders(*add)) {
      const Tensor* number = cells_.fact(added).constant();
      if (number && number->dtype() == DatumType::f32 && number->size() == 1 &&
          is_mean_square(mean, x))
        return Found{x, number->as<float>()[0]};
    }
    return std::nullopt;
  }

  bool is_mean_square(OutletId wire, OutletId x) const {
    const TypedNode& node = maker(wire);
    const Reduce* reduce = node.op.as<Reduce>();
    if (!reduce || reduce->op != Reduction::mean || !reduce->keep_dims || node.inputs.size() != 2)
      return false;
    const auto axes = cells_.fact(node.inputs[1]).integers();
    const ShapeFact& shape = cells_.fact(x).shape;
    if (!axes || axes->size() != 1 || shape.is_open()) return false;
    return is_square(node.inputs[0], x) &&
           normalized_axis((*axes)[0], shape.rank()) + 1 == shape.rank();
  }

  bool is_square(OutletId wire, OutletId x) const {
    if (const auto of = sum_in(UnaryOp::square, wire)) return *of == x;
    if (const auto mul = cells_.binary(BinaryOp::mul, wire)) return *mul == Operands{x, x};
    const auto pow = cells_.binary(BinaryOp::pow, wire);
    const Tensor* power = pow ? cells_.fact((*pow)[1]).constant() : nullptr;
    return power && (*pow)[0] == x && power->size() == 1 && number_at(*power, 0) == 2;
  }

  const TypedModel& model_;
  CellMatch cells_;
};

}  // namespace

/// x / sqrt(mean(x^2) + epsilon), along the last axis, however written -> NormKernel(x)
Rewrite find_rms_norm(const NodeView& node, const Target& target) {
  if (!node.op().as<Binary>() || !is_f32(node.output_fact())) return no_change;
  const auto found = RmsMatch(node.model).find(node.output());
  if (!found || node.model.fact(found->x).shape != node.output_fact().shape) return no_change;
  return replace(node, NormKernel{NormKind::rms, -1, found->epsilon, target.isa}, {found->x});
}

/// NormKernel(x) * scale -> NormKernel(x, scale), scale one number for each element of a row
Rewrite scale_rms_norm(const NodeView& node, const Target&) {
  const Binary* mul = node.op().as<Binary>();
  if (!mul || mul->op != BinaryOp::mul || !is_f32(node.output_fact())) return no_change;
  for (const std::size_t i : {0, 1}) {
    const NormKernel* norm = node.producer_as<NormKernel>(i);
    if (!norm || norm->kind != NormKind::rms || node.producer(i).inputs().size() != 1 ||
        !node.sole_reader(node.input(i)))
      continue;
    const ShapeFact &scale = node.input_fact(1 - i).shape, &x = node.input_fact(i).shape;
    if (scale.is_open() || scale.rank() != 1 || scale[0] != x.dims().back()) continue;
    return replace(node, *norm, {node.producer(i).input(0), node.input(1 - i)});
  }
  return no_change;
}

}  // namespace strata
