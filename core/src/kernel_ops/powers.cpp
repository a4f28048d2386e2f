#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/unary.h"

namespace strata {
namespace {

Rewrite product_with_itself(const NodeView& node) {
  return replace(node, Binary{BinaryOp::mul}, {node.input(0), node.input(0)});
}

/// 1 / x, or 1 / root of x.
enum class Of { x, root };
Rewrite reciprocal(const NodeView& node, Of of) {
  Patch patch(node);
  const OutletId one = patch.constant("one", Tensor::scalar(1.0F));
  OutletId x = node.input(0);
  if (of == Of::root) x = patch.wire_one("root", Unary{UnaryOp::sqrt}, {x});
  patch.shunt(node.output(), patch.wire_one("", Binary{BinaryOp::div}, {one, x}));
  return patch;
}

/// Whether the operand is the number 2, and does not stretch `other`.
bool is_two(const Fact& fact, const ShapeFact& other) {
  const Tensor* constant = fact.constant();
  return constant && constant->size() == 1 && constant->rank() <= other.rank() &&
         number_at(*constant, 0) == 2;
}

}  // namespace

/// square(x), pow(x, 2)  ->  x * x
/// reciprocal(x)         ->  1 / x
/// rsqrt(x)              ->  1 / sqrt(x)
/// on f32, where products and quotients have kernels
Rewrite lower_powers(const NodeView& node, const Target&) {
  if (node.inputs().empty() || node.input(0).is_absent() || !is_f32(node.input_fact(0)) ||
      node.input_fact(0).shape.is_open())
    return no_change;
  if (const Binary* binary = node.op().as<Binary>())
    return binary->op == BinaryOp::pow && is_two(node.input_fact(1), node.input_fact(0).shape)
               ? product_with_itself(node)
               : Rewrite(no_change);
  const Unary* unary = node.op().as<Unary>();
  if (!unary) return no_change;
  if (unary->op == UnaryOp::square) return product_with_itself(node);
  if (unary->op == UnaryOp::reciprocal) return reciprocal(node, Of::x);
  if (unary->op == UnaryOp::rsqrt) return reciprocal(node, Of::root);
  return no_change;
}

}  // namespace strata
