#include "ops/gradient_rules.h"

#include <algorithm>
#include <numbers>

#include "ops/arithmetic.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/size_of.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::hir {
namespace {

OutletId neg(Builder& b, OutletId x) { return unary(b, UnaryOp::neg, x); }
OutletId square(Builder& b, OutletId x) { return unary(b, UnaryOp::square, x); }

[[noreturn]] void fail_unsupported(const TypedOp& op) {
  fail(ErrorKind::unsupported, "the gradient of ", op.display_name(), " is not supported");
}

OutletId shaped_as(Builder& b, OutletId x, OutletId like) {
  return b.one(Reshape{ReshapeZero::keep}, {x, b.one(ShapeOf{}, {like})});
}

/// `gradient` summed over the axes along which `like` was stretched to its shape.
OutletId sum_to(Builder& b, OutletId gradient, OutletId like) {
  const ShapeFact &from = b.fact(gradient).shape, &to = b.fact(like).shape;
  require(from.is_known() && to.is_known(), ErrorKind::unsupported,
          "a gradient of operands of unknown rank");
  const std::size_t extra = from.rank() - to.rank();
  Shape axes;
  for (std::size_t axis = 0; axis < from.rank(); ++axis) {
    if (axis >= extra && from[axis] == to[axis - extra]) continue;
    require(axis < extra || to[axis - extra] == Dim(1), ErrorKind::unsupported,
            cat("the gradient of operands of shapes ", from, " and ", to));
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  if (axes.empty()) return gradient;
  const OutletId sum = reduce(b, Reduction::sum, gradient, b.integers(axes));
  return extra == 0 ? sum : shaped_as(b, sum, like);
}

/// `x` where the condition holds, else 0.
OutletId where(Builder& b, OutletId condition, OutletId x) {
  return b.one(Select{}, {condition, x, b.scalar(0, b.fact(x).dtype)});
}

/// x^y: y x^(y - 1) and x^y log(x)
OutletIds of_pow(Builder& b, const Differentiated& n) {
  OutletIds out{kAbsent, kAbsent};
  if (n.needed[0])
    out[0] = mul(b, n.gradient, mul(b, n.y(), binary(b, BinaryOp::pow, n.x(), add(b, n.y(), -1))));
  if (n.needed[1]) out[1] = mul(b, n.gradient, mul(b, n.output, unary(b, UnaryOp::log, n.x())));
  return out;
}

/// Of equal operands of max and min the first has the gradient.
OutletIds of_extreme(Builder& b, const Differentiated& n, BinaryOp wins) {
  const OutletId first = binary(b, wins, n.x(), n.y());
  return {where(b, first, n.gradient), where(b, unary(b, UnaryOp::truth_not, first), n.gradient)};
}

OutletIds of_binary(Builder& b, const Differentiated& n, BinaryOp op) {
  const OutletId g = n.gradient;
  switch (op) {
    case BinaryOp::add:
      return {g, g};
    case BinaryOp::sub:
      return {g, neg(b, g)};
    case BinaryOp::mul:
      return {mul(b, g, n.y()), mul(b, g, n.x())};
    case BinaryOp::div:
      return {div(b, g, n.y()), neg(b, div(b, mul(b, g, n.output), n.y()))};
    case BinaryOp::pow:
      return of_pow(b, n);
    case BinaryOp::max:
      return of_extreme(b, n, BinaryOp::greater_or_equal);
    case BinaryOp::min:
      return of_extreme(b, n, BinaryOp::less_or_equal);
    default:
      fail_unsupported(n.op);
  }
}

/// The derivative of a scalar function at x, where it has the value y.
OutletId derivative(Builder& b, const TypedOp& typed, UnaryOp op, OutletId x, OutletId y) {
  switch (op) {
    case UnaryOp::abs:
      return unary(b, UnaryOp::sign, x);
    case UnaryOp::cos:
      return neg(b, unary(b, UnaryOp::sin, x));
    case UnaryOp::cosh:
      return unary(b, UnaryOp::sinh, x);
    case UnaryOp::erf:
      return mul(b, unary(b, UnaryOp::exp, neg(b, square(b, x))), 2 * std::numbers::inv_sqrtpi);
    case UnaryOp::exp:
      return y;
    case UnaryOp::log:
      return unary(b, UnaryOp::reciprocal, x);
    case UnaryOp::reciprocal:
      return neg(b, square(b, y));
    case UnaryOp::rsqrt:
      return mul(b, mul(b, y, square(b, y)), -0.5);
    case UnaryOp::sigmoid:
      return mul(b, y, one_minus(b, y));
    case UnaryOp::sin:
      return unary(b, UnaryOp::cos, x);
    case UnaryOp::sinh:
      return unary(b, UnaryOp::cosh, x);
    case UnaryOp::softplus:
      return unary(b, UnaryOp::sigmoid, x);
    case UnaryOp::sqrt:
      return mul(b, unary(b, UnaryOp::reciprocal, y), 0.5);
    case UnaryOp::square:
      return mul(b, x, 2);
    case UnaryOp::tan:
      return add(b, square(b, y), 1);
    case UnaryOp::tanh:
      return one_minus(b, square(b, y));
    default:
      fail_unsupported(typed);
  }
}

OutletId of_unary(Builder& b, const Differentiated& n, UnaryOp op) {
  switch (op) {
    case UnaryOp::neg:
      return neg(b, n.gradient);
    case UnaryOp::relu:
      return where(b, binary(b, BinaryOp::greater, n.x(), 0), n.gradient);
    case UnaryOp::ceil:
    case UnaryOp::floor:
    case UnaryOp::round:
    case UnaryOp::sign:
      return kAbsent;
    default:
      return mul(b, n.gradient, derivative(b, n.op, op, n.x(), n.output));
  }
}

/// With A and B the operands as they are multiplied: dA = g B^T, dB = A^T g.
OutletIds of_matmul(Builder& b, const Differentiated& n, const MatMul& op) {
  const bool are_matrices = b.rank(n.x()).value_or(0) >= 2 && b.rank(n.y()).value_or(0) >= 2;
  require(are_matrices, ErrorKind::unsupported, "the gradient of a product with a vector");
  const bool ta = op.transpose_a, tb = op.transpose_b;
  const OutletId g = n.gradient;
  return {ta ? b.one(MatMul{.transpose_a = tb, .transpose_b = true}, {n.y(), g})
             : b.one(MatMul{.transpose_b = !tb}, {g, n.y()}),
          tb ? b.one(MatMul{.transpose_a = true, .transpose_b = ta}, {g, n.x()})
             : b.one(MatMul{.transpose_a = !ta}, {n.x(), g})};
}

OutletId of_reduce(Builder& b, const Differentiated& n, strata::Reduce op) {
  if (op.op != Reduction::sum && op.op != Reduction::mean) fail_unsupported(n.op);
  op.keep_dims = true;
  const OutletId kept = shaped_as(b, n.gradient, b.one(op, n.inputs));
  const OutletId spread = b.one(Expand{}, {kept, b.one(ShapeOf{}, {n.x()})});
  if (op.op == Reduction::sum) return spread;
  const DatumType type = b.fact(n.x()).dtype;
  const auto size = [&](OutletId x) { return cast_to(b, b.one(SizeOf{}, {x}), type); };
  return mul(b, spread, div(b, size(n.output), size(n.x())));
}

OutletId of_transpose(Builder& b, const Differentiated& n, const Transpose& op) {
  Transpose inverse = op;
  for (std::size_t i = 0; i < op.perm.size(); ++i)
    inverse.perm[static_cast<std::size_t>(op.perm[i])] = static_cast<std::int64_t>(i);
  return b.one(inverse, {n.gradient});
}

OutletIds all_gradients(Builder& b, const Differentiated& n) {
  if (const auto* op = n.op.as<strata::Binary>()) return of_binary(b, n, op->op);
  if (const auto* op = n.op.as<Unary>()) return {of_unary(b, n, op->op)};
  if (const auto* op = n.op.as<MatMul>()) return of_matmul(b, n, *op);
  if (const auto* op = n.op.as<strata::Reduce>()) return {of_reduce(b, n, *op)};
  if (const auto* op = n.op.as<Transpose>()) return {of_transpose(b, n, *op)};
  if (n.op.as<Reshape>() || n.op.as<Squeeze>() || n.op.as<Unsqueeze>())
    return {shaped_as(b, n.gradient, n.x())};
  if (n.op.as<Expand>()) return {n.gradient};
  if (n.op.as<Cast>()) return {cast_to(b, n.gradient, b.fact(n.x()).dtype)};
  if (n.op.as<Select>())
    return {kAbsent, where(b, n.x(), n.gradient),
            where(b, unary(b, UnaryOp::truth_not, n.x()), n.gradient)};
  fail_unsupported(n.op);
}

}  // namespace

OutletIds input_gradients(Builder& b, const Differentiated& node) {
  OutletIds out = all_gradients(b, node);
  out.resize(node.inputs.size(), kAbsent);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!node.needed[i])
      out[i] = kAbsent;
    else if (!out[i].is_absent())
      out[i] = sum_to(b, out[i], node.inputs[i]);
  }
  return out;
}

}  // namespace strata::hir
