#include "strata/hir/ops/loss.h"

#include "ops/arithmetic.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/gather_elements.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::hir {
namespace {

/// The losses of [N, 1, d..] as one, or as [N, d..]; `weight` is absent where each sample weighs 1.
OutletId reduced(Builder& b, OutletId loss, OutletId weight, LossReduction reduction) {
  const auto all = [&](Reduction op, OutletId x) {
    return b.one(strata::Reduce{.op = op, .keep_dims = false}, {x});
  };
  if (reduction == LossReduction::none) return b.one(Squeeze{}, {loss, b.integers({1})});
  if (reduction == LossReduction::sum) return all(Reduction::sum, loss);
  if (weight.is_absent()) return all(Reduction::mean, loss);
  return div(b, all(Reduction::sum, loss), all(Reduction::sum, weight));
}

void loss_rules(Rules& r, LossReduction reduction) {
  const auto scores = r.input(0, "scores"), target = r.input(1, "target");
  require_same_dtype(r);
  r.require(scores.rank == target.rank + 1);
  r.require(target.shape[0] == scores.shape[0]);
  const std::int64_t rank = target.rank.known().value_or(0);
  for (std::int64_t i = 1; i < rank; ++i) r.require(target.shape[i] == scores.shape[i + 1]);
  if (r.has_input(2)) {
    const auto weights = r.input(2, "weights");
    r.require(weights.dtype == scores.dtype);
    r.require(weights.rank == 1);
    r.require(weights.shape[0] == scores.shape[1]);
  }
  if (reduction == LossReduction::none)
    r.require(r.output(0, "loss").shape == target.shape);
  else
    r.require(r.output(0, "loss").rank == 0);
}

}  // namespace

void NegativeLogLikelihoodLoss::rules(Rules& r) const { loss_rules(r, reduction); }

OutletIds NegativeLogLikelihoodLoss::wire(Builder& b, const OutletIds& in) const {
  const DatumType type = computing_type(b.fact(in[0]).dtype);
  const OutletId class_axis = b.integers({1}), zero = b.scalar(0, type);
  OutletId target = b.one(Unsqueeze{}, {cast_to(b, in[1], DatumType::i64), class_axis});
  OutletId ignored = kAbsent, weight = kAbsent;
  if (ignore_index) {
    // A class that is ignored need not exist; the first stands in for it.
    ignored = binary(b, BinaryOp::equal, target, b.constant(Tensor::scalar(*ignore_index)));
    target = b.one(Select{}, {ignored, b.scalar(0, DatumType::i64), target});
  }
  OutletId loss = b.one(GatherElements{1}, {in[0], target});
  loss = unary(b, UnaryOp::neg, cast_to(b, loss, type));
  if (has(in, 2)) {
    weight = cast_to(b, b.one(Gather{0}, {in[2], target}), type);
    loss = mul(b, loss, weight);
  }
  if (ignore_index) {
    loss = b.one(Select{}, {ignored, zero, loss});
    weight = b.one(Select{}, {ignored, zero, weight.is_absent() ? b.scalar(1, type) : weight});
  }
  return {cast_to(b, reduced(b, loss, weight, reduction), b.fact(in[0]).dtype)};
}

void SoftmaxCrossEntropyLoss::rules(Rules& r) const {
  loss_rules(r, reduction);
  if (r.output_count() < 2) return;
  r.require(r.output(1, "log_prob").dtype == r.input(0, "scores").dtype);
  r.require(r.output(1, "log_prob").shape == r.input(0, "scores").shape);
}

OutletIds SoftmaxCrossEntropyLoss::wire(Builder& b, const OutletIds& in) const {
  OutletIds operands = in;
  operands[0] = b.one(Softmax{SoftmaxKind::log_softmax, {1}}, {widened(b, in[0])});
  const OutletIds loss = NegativeLogLikelihoodLoss{reduction, ignore_index}.wire(b, operands);
  const DatumType type = b.fact(in[0]).dtype;
  return {cast_to(b, loss[0], type), cast_to(b, operands[0], type)};
}

}  // namespace strata::hir
