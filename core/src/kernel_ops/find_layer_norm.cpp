#include "kernel_ops/norm_match.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/layer_norm.h"

namespace strata {
namespace {

/// Where `quotient` is x less its mean, divided by its deviation.
std::optional<FoundNorm> normalised(const NormMatch& match, OutletId quotient) {
  const auto div = match.cells().binary(BinaryOp::div, quotient);
  if (!div) return std::nullopt;
  const OutletId centred = (*div)[0], deviation = (*div)[1];
  const auto sub = match.cells().binary(BinaryOp::sub, centred);
  const auto variance = match.behind(UnaryOp::sqrt, deviation);
  if (!sub || !variance || match.behind_mean((*sub)[1]) != (*sub)[0]) return std::nullopt;
  const OutletId x = (*sub)[0];
  const auto epsilon = match.epsilon_beside_squares(*variance, centred);
  if (!epsilon || !surely_equal(match.cells().fact(x).shape, match.cells().fact(quotient).shape))
    return std::nullopt;
  return FoundNorm{x, *epsilon};
}

/// Whether a wire has one number for each element of the last axis of x.
bool is_row_of(const Fact& fact, const Fact& x) {
  return is_f32(fact) && !fact.shape.is_open() && !x.shape.is_open() && fact.shape.rank() == 1 &&
         fact.shape[0] == x.shape.dims().back();
}

}  // namespace

/// (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon), along the last axis -> LayerNorm(x)
Rewrite find_layer_norm(const NodeView& node, const Target&) {
  if (!node.op().as<Binary>()) return no_change;
  const auto found = normalised(NormMatch(node.model), node.output());
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
