#include "kernel_ops/binary_kernel.h"

#include "strata/core/ops/binary.h"

namespace strata {
namespace {

using kernels::Index;

/// The axes of a broadcast operation, neighbours joined where both operands step through them
/// evenly.
struct BroadcastAxes {
  std::size_t rank = 0;
  Index size[kMaxKernelRank] = {};
  Index step_a[kMaxKernelRank] = {};
  Index step_b[kMaxKernelRank] = {};

  void push_outer(Index length, Index a, Index b) noexcept {
    if (length == 1) return;
    if (rank > 0 && a == step_a[rank - 1] * size[rank - 1] &&
        b == step_b[rank - 1] * size[rank - 1]) {
      size[rank - 1] *= length;
      return;
    }
    size[rank] = length, step_a[rank] = a, step_b[rank] = b;
    ++rank;
  }
};

/// Innermost axis first.
BroadcastAxes axes_of(Span out, Span a, Span b) noexcept {
  BroadcastAxes axes;
  Index volume_a = 1, volume_b = 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Index length = out[out.size() - 1 - i];
    const Index in_a = i < a.size() ? a[a.size() - 1 - i] : 1,
                in_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    axes.push_outer(length, in_a == 1 ? 0 : volume_a, in_b == 1 ? 0 : volume_b);
    volume_a *= in_a;
    volume_b *= in_b;
  }
  return axes;
}

}  // namespace

FactList BinaryKernel::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  return {Fact::tensor(DatumType::f32, broadcast(in[0].shape, in[1].shape))};
}

void BinaryKernel::run(const KernelIo& io) const noexcept {
  const Shape& out = io.outputs[0].shape;
  if (volume(out) == 0) return;
  BroadcastAxes axes = axes_of(out, io.inputs[0].shape, io.inputs[1].shape);
  while (axes.rank < 2) {
    axes.size[axes.rank] = 1;
    ++axes.rank;
  }
  kernels::BinaryCall call{.op = op,
                           .outer = axes.size[1],
                           .inner = axes.size[0],
                           .a = io.inputs[0].as<float>(),
                           .a_outer = axes.step_a[1],
                           .a_inner = axes.step_a[0],
                           .b = io.inputs[1].as<float>(),
                           .b_outer = axes.step_b[1],
                           .b_inner = axes.step_b[0],
                           .y = io.outputs[0].as<float>()};
  const kernels::KernelTable& table = kernels::kernels(isa);
  Index index[kMaxKernelRank] = {};
  for (;;) {
    table.binary(call);
    call.y += call.outer * call.inner;
    std::size_t axis = 2;
    for (; axis < axes.rank; ++axis) {
      call.a += axes.step_a[axis];
      call.b += axes.step_b[axis];
      if (++index[axis] < axes.size[axis]) break;
      call.a -= axes.step_a[axis] * axes.size[axis];
      call.b -= axes.step_b[axis] * axes.size[axis];
      index[axis] = 0;
    }
    if (axis >= axes.rank) return;
  }
}

/// Binary on f32 -> BinaryKernel
Rewrite lower_binary(const NodeView& node, const Target& target) {
  const Binary* binary = node.op().as<Binary>();
  if (!binary || !is_f32(node.input_fact(0)) || !is_f32(node.input_fact(1)) ||
      !is_f32(node.output_fact()))
    return no_change;
  const ShapeFact& shape = node.output_fact().shape;
  if (shape.is_open() || shape.rank() > kMaxKernelRank) return no_change;
  for (const auto& [op, text] : enumerators_of_binary)
    if (to_attr(binary->op) == AttrValue(std::string(text)))
      return replace(node, BinaryKernel{op, target.isa}, node.inputs());
  return no_change;
}

}  // namespace strata
