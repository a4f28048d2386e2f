#include "passes/op_traits.h"

#include "strata/core/ops/activation.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unary.h"

namespace strata {
namespace {

/// Whether two shapes broadcast whatever their symbols are.
bool surely_broadcast(const ShapeFact& a, const ShapeFact& b) {
  if (a.is_open() || b.is_open()) return false;
  for (std::size_t i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const Dim &left = a[a.rank() - i], &right = b[b.rank() - i];
    if (left != right && left != Dim(1) && right != Dim(1)) return false;
  }
  return true;
}

/// Divisions and powers of integers fail for some values.
bool is_partial_on_integers(BinaryOp op) {
  return op == BinaryOp::div || op == BinaryOp::mod || op == BinaryOp::fmod || op == BinaryOp::pow;
}

/// A matrix or a stack of them times one matrix.
bool surely_multiplies(const MatMul& op, const ShapeFact& a, const ShapeFact& b) {
  if (a.is_open() || b.is_open() || op.transpose_a || a.rank() < 1 || b.rank() != 2) return false;
  return a[a.rank() - 1] == b[op.transpose_b ? 1 : 0];
}

}  // namespace

bool is_elementwise(const TypedOp& op) {
  return op.as<Unary>() || op.as<Activation>() || op.as<Binary>();
}

bool never_fails(const TypedModel& model, const TypedNode& node) {
  const auto fact = [&](std::size_t i) -> const Fact& { return model.fact(node.inputs[i]); };
  if (node.op.as<Unary>() || node.op.as<Activation>()) return true;
  if (node.op.as<Transpose>()) return fact(0).shape.is_known();
  if (const MatMul* op = node.op.as<MatMul>())
    return surely_multiplies(*op, fact(0).shape, fact(1).shape);
  const Binary* op = node.op.as<Binary>();
  return op && surely_broadcast(fact(0).shape, fact(1).shape) &&
         !(is_partial_on_integers(op->op) && is_integer(fact(0).dtype));
}

}  // namespace strata
