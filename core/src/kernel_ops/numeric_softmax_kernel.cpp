#include "kernel_ops/numeric_softmax_kernel.h"

#include <cmath>

#include "kernel_ops/lane_blocks.h"
#include "kernel_ops/movement.h"
#include "ops/number_kinds.h"

namespace strata {
namespace {

/// One number for each lane of a block.
struct LaneNumbers {
  double of[LaneBlocks::kMost];
};

/// Calls `visit(lane, x, y)` for the elements of a block of lanes, those side by side in turn.
template <class T, class Visit>
void for_each_element(const LaneBlocks& lanes, const T* x, T* y, std::int64_t count,
                      const Visit& visit) {
  for (std::int64_t k = 0; k < lanes.length; ++k, x += lanes.inner, y += lanes.inner)
    for (std::int64_t i = 0; i < count; ++i) visit(i, x[i], y[i]);
}

template <class T>
void normalise(const LaneBlocks& lanes, const T* x, T* y, std::int64_t count, SoftmaxKind kind) {
  LaneNumbers top, total;
  for (std::int64_t i = 0; i < count; ++i) top.of[i] = widened(x[i]), total.of[i] = 0;
  for_each_element(lanes, x, y, count, [&](std::int64_t i, T from, T&) {
    if (top.of[i] < widened(from)) top.of[i] = widened(from);
  });
  if (kind == SoftmaxKind::hardmax) {
    for_each_element(lanes, x, y, count, [&](std::int64_t i, T from, T& to) {
      const bool is_first = total.of[i] == 0 && widened(from) == top.of[i];
      total.of[i] += is_first ? 1 : 0;
      to = narrowed<T>(is_first ? 1.0 : 0.0);
    });
    return;
  }
  for_each_element(lanes, x, y, count, [&](std::int64_t i, T from, T&) {
    total.of[i] += std::exp(widened(from) - top.of[i]);
  });
  for_each_element(lanes, x, y, count, [&](std::int64_t i, T from, T& to) {
    const double above = widened(from) - top.of[i];
    to = narrowed<T>(kind == SoftmaxKind::softmax ? std::exp(above) / total.of[i]
                                                  : above - std::log(total.of[i]));
  });
}

}  // namespace

void NumericSoftmaxKernel::run(const KernelIo& io) const {
  const TensorView& data = io.inputs[0];
  const LaneBlocks lanes(data.shape, axis_from_start(axis, data.shape.size()));
  if (lanes.length == 0) return;
  visit_kind<double>(data.dtype, [&]<class T>(TypeTag<T>) {
    lanes.for_each([&](std::int64_t o, std::int64_t first, std::int64_t count) {
      const std::int64_t at = o * lanes.length * lanes.inner + first;
      normalise(lanes, data.as<T>() + at, io.outputs[0].as<T>() + at, count, op);
    });
  });
}

/// Softmax along one axis -> NumericSoftmaxKernel
Rewrite lower_numeric_softmax(const NodeView& node, const Target&) {
  const Softmax* softmax = node.op().as<Softmax>();
  if (!softmax || softmax->axes.size() != 1 || !moves_bytes(node)) return no_change;
  return replace(node, NumericSoftmaxKernel{softmax->op, softmax->axes[0]}, node.inputs());
}

}  // namespace strata
