#include "kernel_ops/norm_kernel.h"
#include "kernel_ops/norm_match.h"
#include "kernel_ops/rules.h"

namespace strata {
namespace {

/// What `factor` is one by the root of.
std::optional<OutletId> behind_inverse_root(const NormMatch& match, OutletId factor) {
  if (const auto sum = match.behind(UnaryOp::rsqrt, factor)) return sum;
  if (const auto root = match.behind(UnaryOp::reciprocal, factor))
    return match.behind(UnaryOp::sqrt, *root);
  const auto div = match.cells().binary(BinaryOp::div, factor);
  return div && match.cells().is_one((*div)[0]) ? match.behind(UnaryOp::sqrt, (*div)[1])
                                                : std::nullopt;
}

/// Where `sum` is mean(x^2) + epsilon.
std::optional<FoundNorm> found(const NormMatch& match, OutletId x, std::optional<OutletId> sum) {
  const auto epsilon = sum ? match.epsilon_beside_squares(*sum, x) : std::nullopt;
  return epsilon ? std::optional(FoundNorm{x, *epsilon}) : std::nullopt;
}

/// Where `wire` is x / root, or x times one by the root, of the mean of its squares.
std::optional<FoundNorm> normalised(const NormMatch& match, OutletId wire) {
  if (const auto div = match.cells().binary(BinaryOp::div, wire))
    return found(match, (*div)[0], match.behind(UnaryOp::sqrt, (*div)[1]));
  const auto mul = match.cells().binary(BinaryOp::mul, wire);
  if (!mul) return std::nullopt;
  for (const auto& [x, factor] : both_orders(*mul))
    if (const auto out = found(match, x, behind_inverse_root(match, factor))) return out;
  return std::nullopt;
}

}  // namespace

/// x / sqrt(mean(x^2) + epsilon), along the last axis, however written -> NormKernel(x)
Rewrite find_rms_norm(const NodeView& node, const Target& target) {
  if (!node.op().as<Binary>() || !is_f32(node.output_fact())) return no_change;
  const auto found = normalised(NormMatch(node.model), node.output());
  if (!found || !surely_equal(node.model.fact(found->x).shape, node.output_fact().shape))
    return no_change;
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
