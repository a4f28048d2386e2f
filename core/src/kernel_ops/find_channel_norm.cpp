#include "kernel_ops/norm_kernel.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/layer_norm.h"

namespace strata {
namespace {

/// Which input of this sum, or product, is made by such a node and read by no other.
template <class Matches>
std::optional<std::size_t> input_made_by(const NodeView& node, BinaryOp op,
                                         const Matches& matches) {
  const Binary* binary = node.op().as<Binary>();
  if (!binary || binary->op != op) return std::nullopt;
  for (const std::size_t i : {0, 1})
    if (matches(node.producer(i)) && node.sole_reader(node.input(i))) return i;
  return std::nullopt;
}

/// Whether an operand has one number for each index of axis `axis` of x, and stretches along the
/// rest.
bool is_of_channels(const Fact& operand, const ShapeFact& x, std::size_t axis) {
  if (!is_f32(operand) || operand.shape.is_open() || operand.shape.rank() > x.rank()) return false;
  const std::size_t shift = x.rank() - operand.shape.rank();
  for (std::size_t i = 0; i < x.rank(); ++i) {
    const Dim own = i < shift ? Dim(1) : operand.shape[i - shift];
    if (own != (i == axis ? x[i] : Dim(1))) return false;
  }
  return true;
}

}  // namespace

/// LayerNorm(x) * scale + bias, both of the channels before its axis -> NormKernel(x, scale, bias)
Rewrite find_channel_norm(const NodeView& node, const Target& target) {
  const auto is_norm = [](const NodeView& n) {
    return n.op().as<LayerNorm>() && n.inputs().size() == 1;
  };
  const auto is_scaled = [&](const NodeView& n) {
    return input_made_by(n, BinaryOp::mul, is_norm).has_value();
  };
  const auto scaled = input_made_by(node, BinaryOp::add, is_scaled);
  if (!scaled) return no_change;
  const NodeView product = node.producer(*scaled);
  const std::size_t normed = *input_made_by(product, BinaryOp::mul, is_norm);
  const NodeView normalised = product.producer(normed);
  const Fact& x = normalised.input_fact(0);
  if (!is_f32(x) || x.shape.is_open()) return no_change;
  const LayerNorm& norm = *normalised.op().as<LayerNorm>();
  const std::size_t axis = normalized_axis(norm.axis, x.shape.rank());
  if (axis == 0 || !is_of_channels(product.input_fact(1 - normed), x.shape, axis - 1) ||
      !is_of_channels(node.input_fact(1 - *scaled), x.shape, axis - 1))
    return no_change;
  return replace(node, NormKernel{NormKind::channels, norm.axis, norm.epsilon, target.isa},
                 {normalised.input(0), product.input(1 - normed), node.input(1 - *scaled)});
}

}  // namespace strata
