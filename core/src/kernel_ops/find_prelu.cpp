#include "kernel_ops/binary_kernel.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/select.h"

namespace strata {
namespace {

bool is_zero(const TypedModel& model, OutletId wire) {
  const Tensor* value = model.fact(wire).constant();
  return value && value->dtype() == DatumType::f32 && value->size() == 1 &&
         value->as<float>()[0] == 0;
}

const TypedNode* maker_of(const TypedModel& model, OutletId wire, BinaryOp op) {
  const TypedNode& node = model.node(wire.node);
  const Binary* binary = node.op.as<Binary>();
  return binary && binary->op == op ? &node : nullptr;
}

}  // namespace

/// select(x < 0, x * slope, x) -> BinaryKernel prelu(x, slope), the slope no larger than x
Rewrite find_prelu(const NodeView& node, const Target& target) {
  if (!node.op().as<Select>() || !is_f32(node.output_fact())) return no_change;
  const TypedModel& model = node.model;
  const OutletId x = node.input(2);
  const ShapeFact& shape = node.output_fact().shape;
  if (shape.is_open() || shape.rank() > kMaxKernelRank || model.fact(x).shape != shape)
    return no_change;
  const TypedNode* below = maker_of(model, node.input(0), BinaryOp::less);
  const TypedNode* product = maker_of(model, node.input(1), BinaryOp::mul);
  if (!below || !product || below->inputs[0] != x || !is_zero(model, below->inputs[1]))
    return no_change;
  for (const std::size_t i : {0, 1}) {
    if (product->inputs[i] == x)
      return replace(node, BinaryKernel{kernels::Binary::prelu, target.isa},
                     {x, product->inputs[1 - i]});
  }
  return no_change;
}

}  // namespace strata
