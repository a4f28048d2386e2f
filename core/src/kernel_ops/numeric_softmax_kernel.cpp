#include "kernel_ops/numeric_softmax_kernel.h"

#include <cmath>

#include "kernel_ops/computed_numbers.h"
#include "kernel_ops/double_rows.h"
#include "kernel_ops/folds.h"
#include "kernel_ops/lane_blocks.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "ops/double_functions.h"

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

/// 1 at the first of the greatest of each lane, 0 elsewhere. A lane that begins with NaN has no
/// greatest.
template <class T>
void mark_greatest(const LaneBlocks& lanes, const T* x, T* y, std::int64_t count) {
  using Number = std::conditional_t<std::is_same_v<T, float>, float, double>;
  Number top[LaneBlocks::kMost];
  std::int64_t place[LaneBlocks::kMost] = {};
  for (std::int64_t i = 0; i < count; ++i) top[i] = static_cast<Number>(widened(x[i]));
  for (std::int64_t k = 0; k < lanes.length; ++k) {
    const T* from = x + k * lanes.inner;
    T* to = y + k * lanes.inner;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto number = static_cast<Number>(widened(from[i]));
      place[i] = top[i] < number ? k : place[i];
      top[i] = top[i] < number ? number : top[i];
      to[i] = T{};
    }
  }
  for (std::int64_t i = 0; i < count; ++i)
    if (top[i] == top[i]) y[place[i] * lanes.inner + i] = narrowed<T>(1.0);
}

/// The same of one lane, whose numbers lie side by side.
void mark_greatest(const float* x, float* y, std::int64_t length) {
  const float* const top = first_greatest(x, length);
  std::fill_n(y, length, 0.0F);
  if (top) y[top - x] = 1;
}

template <class T>
void normalise(const LaneBlocks& lanes, const T* x, T* y, std::int64_t count, SoftmaxKind kind) {
  LaneNumbers top, total;
  for (std::int64_t i = 0; i < count; ++i) top.of[i] = widened(x[i]), total.of[i] = 0;
  for_each_element(lanes, x, y, count, [&](std::int64_t i, T from, T&) {
    if (top.of[i] < widened(from)) top.of[i] = widened(from);
  });
  const bool is_plain = kind == SoftmaxKind::softmax;
  for_each_element(lanes, x, y, count, [&](std::int64_t i, T from, T&) {
    total.of[i] += fast_exp(widened(from) - top.of[i]);
  });
  for (std::int64_t i = 0; i < count; ++i)
    total.of[i] = is_plain ? 1 / total.of[i] : std::log(total.of[i]);
  for_each_element(lanes, x, y, count, [&](std::int64_t i, T from, T& to) {
    const double above = widened(from) - top.of[i];
    to = narrowed<T>(is_plain ? fast_exp(above) * total.of[i] : above - total.of[i]);
  });
}

/// The sum of e^(x[k] - top).
double sum_of_powers(const double* x, std::int64_t length, double top) {
  const Folding<double> sum = folding<double>(Reduction::sum);
  double total = 0, block[LaneBlocks::kMost];
  for (std::int64_t at = 0; at < length; at += LaneBlocks::kMost) {
    const std::int64_t n = std::min(LaneBlocks::kMost, length - at);
    for (std::int64_t k = 0; k < n; ++k) block[k] = x[at + k] - top;
    double_row(UnaryOp::exp)(block, block, n);
    total = sum.row(total, block, n);
  }
  return total;
}

double top_of(const double* x, std::int64_t length) {
  return folding<double>(Reduction::max).row(x[0], x, length);
}

/// The logarithms of softmax, of doubles that lie side by side.
void log_normalise_row(const double* x, double* y, std::int64_t length) {
  const double top = top_of(x, length), shift = std::log(sum_of_powers(x, length, top));
  for (std::int64_t k = 0; k < length; ++k) y[k] = (x[k] - top) - shift;
}

/// Softmax of rows of doubles, of which so many are computed at once that short ones are worth it.
void normalise_rows(const double* x, double* y, std::int64_t rows, std::int64_t length) {
  const std::int64_t most = std::max<std::int64_t>(512 / length, 1);
  const Folding<double> sum = folding<double>(Reduction::sum);
  for (std::int64_t count; rows > 0; rows -= count, x += count * length, y += count * length) {
    count = std::min(most, rows);
    for (std::int64_t at = 0; at < count * length; at += length) {
      const double top = top_of(x + at, length);
      for (std::int64_t k = at; k < at + length; ++k) y[k] = x[k] - top;
    }
    double_row(UnaryOp::exp)(y, y, count * length);
    for (std::int64_t at = 0; at < count * length; at += length) {
      const double total = sum.row(0, y + at, length);
      for (std::int64_t k = at; k < at + length; ++k) y[k] /= total;
    }
  }
}

/// One block of lanes, but for softmax of doubles that lie side by side.
template <class T>
void apply(const LaneBlocks& lanes, const T* x, T* y, std::int64_t count, SoftmaxKind kind) {
  if constexpr (std::is_same_v<T, float>)
    if (kind == SoftmaxKind::hardmax && lanes.inner == 1) return mark_greatest(x, y, lanes.length);
  if (kind == SoftmaxKind::hardmax) return mark_greatest(lanes, x, y, count);
  if constexpr (std::is_same_v<T, double>)
    if (lanes.inner == 1) return log_normalise_row(x, y, lanes.length);
  normalise(lanes, x, y, count, kind);
}

}  // namespace

void NumericSoftmaxKernel::run(const KernelIo& io) const {
  const TensorView& data = io.inputs[0];
  const LaneBlocks lanes(data.shape, axis_from_start(axis, data.shape.size()));
  if (lanes.length == 0) return;
  const std::int64_t slab = lanes.length * lanes.inner;
  visit_computed<double>(data.dtype, [&]<class T>(TypeTag<T>) {
    share_range(io, work_on(lanes.outer * slab, 3), lanes.outer, 1, [&](kernels::Range part) {
      const T* x = data.as<T>() + part.begin * slab;
      T* y = io.outputs[0].as<T>() + part.begin * slab;
      const std::int64_t outer = part.end - part.begin;
      if constexpr (std::is_same_v<T, double>)
        if (lanes.inner == 1 && op == SoftmaxKind::softmax)
          return normalise_rows(x, y, outer, lanes.length);
      LaneBlocks own = lanes;
      own.outer = outer;
      own.for_each([&](std::int64_t o, std::int64_t first, std::int64_t count) {
        apply(own, x + o * slab + first, y + o * slab + first, count, op);
      });
    });
  });
}

/// Softmax along one axis -> NumericSoftmaxKernel
Rewrite lower_numeric_softmax(const NodeView& node, const Target&) {
  const Softmax* softmax = node.op().as<Softmax>();
  if (!softmax || softmax->axes.size() != 1 || !moves_bytes(node) ||
      !has_computed_numbers(node.input_fact(0).dtype))
    return no_change;
  return replace(node, NumericSoftmaxKernel{softmax->op, softmax->axes[0]}, node.inputs());
}

}  // namespace strata
