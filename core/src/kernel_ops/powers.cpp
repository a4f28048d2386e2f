#include <cmath>

#include "kernel_ops/kernel_op.h"
#include "kernel_ops/rules.h"
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

Rewrite cube(const NodeView& node) {
  Patch patch(node);
  const OutletId x = node.input(0),
                 square = patch.wire_one("square", Binary{BinaryOp::mul}, {x, x});
  patch.shunt(node.output(), patch.wire_one("", Binary{BinaryOp::mul}, {square, x}));
  return patch;
}

/// The operand as one number that does not stretch `other`; NaN where it is none.
double exponent_of(const Fact& fact, const ShapeFact& other) {
  const Tensor* constant = fact.constant();
  const bool is_one = constant && constant->size() == 1 && constant->rank() <= other.rank();
  return is_one ? number_at(*constant, 0) : std::nan("");
}

}  // namespace

/// square(x), pow(x, 2)  ->  x * x
/// pow(x, 3)             ->  x * x * x
/// reciprocal(x)         ->  1 / x
/// rsqrt(x)              ->  1 / sqrt(x)
/// on f32, and powers on f64, where products and quotients have kernels
Rewrite lower_powers(const NodeView& node, const Target&) {
  if (node.inputs().empty() || node.input_fact(0).shape.is_open()) return no_change;
  const DatumType type = node.input_fact(0).dtype;
  if (type != DatumType::f32 && type != DatumType::f64) return no_change;
  if (const Binary* binary = node.op().as<Binary>()) {
    if (binary->op != BinaryOp::pow) return no_change;
    const double exponent = exponent_of(node.input_fact(1), node.input_fact(0).shape);
    if (exponent == 2) return product_with_itself(node);
    return exponent == 3 ? cube(node) : Rewrite(no_change);
  }
  const Unary* unary = node.op().as<Unary>();
  if (!unary || type != DatumType::f32) return no_change;
  if (unary->op == UnaryOp::square) return product_with_itself(node);
  if (unary->op == UnaryOp::reciprocal) return reciprocal(node, Of::x);
  if (unary->op == UnaryOp::rsqrt) return reciprocal(node, Of::root);
  return no_change;
}

}  // namespace strata
