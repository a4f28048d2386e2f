#include "kernel_ops/cumulate_kernel.h"

#include <cstring>

#include "kernel_ops/computed_numbers.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/lane_blocks.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/number_rows.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "strata/core/only_number.h"

namespace strata {
namespace {

/// The type sums and products are kept in: floats in double, integers modulo 2^64.
template <class T>
using Total = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;

/// Along contiguous numbers, with the total in a register.
template <class T>
void cumulate_rows(const CumulateKernel& op, const LaneBlocks& lanes, const T* data, T* out) {
  const std::int64_t step = op.reverse ? -1 : 1;
  for (std::int64_t o = 0; o < lanes.outer; ++o) {
    Total<T> total = op.op == Cumulation::sum ? 0 : 1;
    std::int64_t at = o * lanes.length + (op.reverse ? lanes.length - 1 : 0);
    for (std::int64_t n = 0; n < lanes.length; ++n, at += step) {
      const auto x = static_cast<Total<T>>(widened(data[at]));
      const Total<T> before = total;
      total = op.op == Cumulation::sum ? total + x : total * x;
      out[at] = narrowed<T>(op.exclusive ? before : total);
    }
  }
}

template <class T>
void cumulate(const CumulateKernel& op, const LaneBlocks& lanes, const T* data, T* out) {
  if (lanes.inner == 1) return cumulate_rows(op, lanes, data, out);
  lanes.for_each([&](std::int64_t o, std::int64_t first, std::int64_t count) {
    Total<T> totals[LaneBlocks::kMost];
    std::fill_n(totals, count, op.op == Cumulation::sum ? 0 : 1);
    for (std::int64_t n = 0; n < lanes.length; ++n) {
      const std::int64_t k = op.reverse ? lanes.length - 1 - n : n,
                         at = (o * lanes.length + k) * lanes.inner + first;
      for (std::int64_t i = 0; i < count; ++i) {
        const auto x = static_cast<Total<T>>(widened(data[at + i]));
        const Total<T> before = totals[i];
        totals[i] = op.op == Cumulation::sum ? before + x : before * x;
        out[at + i] = narrowed<T>(op.exclusive ? before : totals[i]);
      }
    }
  });
}

/// Across rows, adding each to the one before it in the element type itself, for types in which
/// that gives the same totals. Returns whether it did so.
bool cumulate_across(const CumulateKernel& op, const KernelIo& io, const LaneBlocks& lanes) {
  const DatumType type = io.inputs[0].dtype;
  const bool is_sum = op.op == Cumulation::sum;
  const NumberRow join = fast_row(is_sum ? BinaryOp::add : BinaryOp::mul, type).row;
  if (!join || lanes.inner < LaneBlocks::kMost || (op.exclusive && !is_sum) ||
      (!is_integer(type) && type != DatumType::f64))
    return false;
  const std::int64_t row = lanes.inner * width_of(io.inputs[0]), step = op.reverse ? -row : row;
  for (std::int64_t o = 0; o < lanes.outer; ++o) {
    const std::int64_t begin = (o * lanes.length + (op.reverse ? lanes.length - 1 : 0)) * row;
    const std::byte* x = io.inputs[0].data + begin;
    std::byte* y = io.outputs[0].data + begin;
    for (std::int64_t n = 0; n < lanes.length; ++n, x += step, y += step) {
      if (n > 0)
        join(y - step, op.exclusive ? x - step : x, y, lanes.inner);
      else if (op.exclusive)
        std::memset(y, 0, static_cast<std::size_t>(row));
      else
        std::memcpy(y, x, static_cast<std::size_t>(row));
    }
  }
  return true;
}

/// Of floats, which have a kernel of their own.
void cumulate_floats(const CumulateKernel& op, const KernelIo& io, const LaneBlocks& lanes) {
  using kernels::RunBounds, kernels::RunDirection, kernels::RunKind;
  const kernels::Cumulate call{
      .kind = op.op == Cumulation::sum ? RunKind::sum : RunKind::product,
      .direction = op.reverse ? RunDirection::backward : RunDirection::forward,
      .bounds = op.exclusive ? RunBounds::exclusive : RunBounds::inclusive,
      .length = lanes.length,
      .inner = lanes.inner};
  const std::int64_t step = lanes.length * lanes.inner;
  share_range(io, work_on(2 * lanes.outer * step, 2), lanes.outer, 1, [&](kernels::Range outer) {
    kernels::Cumulate part = call;
    part.outer = outer.end - outer.begin;
    part.x = io.inputs[0].as<float>() + outer.begin * step;
    part.y = io.outputs[0].as<float>() + outer.begin * step;
    kernels::kernels(op.isa).cumulate(part);
  });
}

}  // namespace

void CumulateKernel::run(const KernelIo& io) const {
  const TensorView& data = io.inputs[0];
  const std::int64_t axis = integer_at(io.inputs[1], 0);
  const LaneBlocks lanes(data.shape, normalized_axis(axis, data.shape.size()));
  if (data.dtype == DatumType::f32) return cumulate_floats(*this, io, lanes);
  if (cumulate_across(*this, io, lanes)) return;
  visit_type(data.dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (is_computed<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, float>)
      cumulate(*this, lanes, data.as<T>(), io.outputs[0].as<T>());
  });
}

std::string CumulateKernel::explain(Facts in, Facts) const {
  if (in[0].dtype != DatumType::f32) return "running total, number by number";
  const auto axis = only_integer(in[1]);
  return axis ? explain_axis("running total", isa, in[0], *axis)
              : explain_vectors("running total", isa);
}

/// Cumulate along one axis -> CumulateKernel
Rewrite lower_cumulate(const NodeView& node, const Target& target) {
  const Cumulate* cumulate = node.op().as<Cumulate>();
  if (!cumulate || !moves_bytes(node) || !has_computed_numbers(node.input_fact(0).dtype) ||
      !is_index(node.input_fact(1)) || node.input_fact(1).shape.volume() != Dim(1))
    return no_change;
  return replace(node,
                 CumulateKernel{cumulate->op, cumulate->exclusive, cumulate->reverse, target.isa},
                 node.inputs());
}

}  // namespace strata
