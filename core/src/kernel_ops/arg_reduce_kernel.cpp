#include "kernel_ops/arg_reduce_kernel.h"

#include <functional>

#include "kernel_ops/computed_numbers.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/lane_blocks.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/narrow_floats.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"

namespace strata {
namespace {

/// Whether `x`, met after `best`, takes its place; NaN is the extreme.
template <class Wide>
bool replaces(Wide x, Wide best, Extreme extreme, Tie tie) {
  if (x != x || best != best) return x != x && (best == best || tie == Tie::last);
  if (x == best) return tie == Tie::last;
  return (extreme == Extreme::max) == (x > best);
}

/// Of numbers side by side. Most are `worse` than the best, which one comparison tells.
template <class T, class Worse>
std::int64_t find_in_row(const ArgReduceKernel& op, const T* x, std::int64_t length, Worse worse) {
  WidestOf<T> best = widened(x[0]);
  std::int64_t place = 0;
  for (std::int64_t k = 1; k < length; ++k) {
    const auto number = widened(x[k]);
    if (worse(number, best) || !replaces(number, best, op.op, op.tie)) continue;
    best = number;
    place = k;
  }
  return place;
}

template <class T>
void find_in_rows(const ArgReduceKernel& op, const LaneBlocks& lanes, const T* x,
                  std::int64_t* out) {
  for (std::int64_t o = 0; o < lanes.outer; ++o, x += lanes.length)
    out[o] = op.op == Extreme::max ? find_in_row(op, x, lanes.length, std::less<>{})
                                   : find_in_row(op, x, lanes.length, std::greater<>{});
}

template <class T>
void find(const ArgReduceKernel& op, const LaneBlocks& lanes, const T* data, std::int64_t* out) {
  if (lanes.inner == 1) return find_in_rows(op, lanes, data, out);
  lanes.for_each([&](std::int64_t o, std::int64_t first, std::int64_t count) {
    const T* from = data + o * lanes.length * lanes.inner + first;
    std::int64_t* to = out + o * lanes.inner + first;
    WidestOf<T> best[LaneBlocks::kMost];
    for (std::int64_t i = 0; i < count; ++i) best[i] = widened(from[i]), to[i] = 0;
    for (std::int64_t k = 1; k < lanes.length; ++k) {
      from += lanes.inner;
      for (std::int64_t i = 0; i < count; ++i) {
        const auto x = widened(from[i]);
        if (replaces(x, best[i], op.op, op.tie)) best[i] = x, to[i] = k;
      }
    }
  });
}

kernels::ArgReduce call_of(const ArgReduceKernel& op, std::int64_t length, std::int64_t inner,
                           const float* x, std::int64_t* y) {
  return {.extreme = op.op == Extreme::max ? kernels::Extreme::max : kernels::Extreme::min,
          .tie = op.tie == Tie::first ? kernels::Tie::first : kernels::Tie::last,
          .length = length,
          .inner = inner,
          .x = x,
          .y = y};
}

/// Of floats, which have a kernel of their own.
void find_in_floats(const ArgReduceKernel& op, const KernelIo& io, const LaneBlocks& lanes) {
  const kernels::ArgReduce call = call_of(op, lanes.length, lanes.inner, io.inputs[0].as<float>(),
                                          io.outputs[0].as<std::int64_t>());
  const std::int64_t rows = lanes.outer * lanes.inner;
  share_range(io, work_on(rows * lanes.length, 3), rows, lanes.inner == 1 ? 1 : kElementStep,
              [&](kernels::Range part) { kernels::kernels(op.isa).arg_reduce(call, part); });
}

/// Lanes side by side of f16 or bf16, of which the first element is at `from`: tiles of them are
/// widened, and what is found in one is compared with what was found before.
void find_widened(const ArgReduceKernel& op, kernels::NarrowFloat type, const LaneBlocks& lanes,
                  std::int64_t count, const std::uint16_t* from, std::int64_t* to) {
  constexpr std::int64_t kTile = 4096;  // 16 kB of floats, half of a first cache
  const kernels::KernelTable& table = kernels::kernels(op.isa);
  alignas(64) float tile[kTile], best[LaneBlocks::kMost];
  std::int64_t places[LaneBlocks::kMost];
  for (std::int64_t k = 0; k < lanes.length;) {
    const std::int64_t rows = std::min(kTile / count, lanes.length - k);
    const bool is_dense = count == lanes.inner;
    for (std::int64_t row = 0; row < (is_dense ? 1 : rows); ++row)
      table.widen_floats(type, from + (k + row) * lanes.inner, tile + row * count,
                         is_dense ? rows * count : count);
    table.arg_reduce(call_of(op, rows, count, tile, places), {0, count});
    for (std::int64_t i = 0; i < count; ++i) {
      const float x = tile[places[i] * count + i];
      if (k == 0 || replaces(x, best[i], op.op, op.tie)) best[i] = x, to[i] = k + places[i];
    }
    k += rows;
  }
}

void find_in_narrow_floats(const ArgReduceKernel& op, const KernelIo& io, const LaneBlocks& lanes,
                           kernels::NarrowFloat type) {
  const std::int64_t slab = lanes.length * lanes.inner;
  share_range(io, work_on(lanes.outer * slab, 3), lanes.outer, 1, [&](kernels::Range part) {
    LaneBlocks own = lanes;
    own.outer = part.end - part.begin;
    const std::uint16_t* from = io.inputs[0].as<std::uint16_t>() + part.begin * slab;
    std::int64_t* to = io.outputs[0].as<std::int64_t>() + part.begin * lanes.inner;
    own.for_each([&](std::int64_t o, std::int64_t first, std::int64_t count) {
      find_widened(op, type, own, count, from + o * slab + first, to + o * own.inner + first);
    });
  });
}

}  // namespace

void ArgReduceKernel::run(const KernelIo& io) const {
  const TensorView& data = io.inputs[0];
  const std::size_t at = axis_from_start(axis, data.shape.size());
  check_data(data.shape[at] > 0, "(C4) axis ", axis, " of shape ", Span(data.shape), " is empty");
  const LaneBlocks lanes(data.shape, at);
  if (data.dtype == DatumType::f32 && lanes.length < INT32_MAX)
    return find_in_floats(*this, io, lanes);
  if (const auto type = narrow_float(data.dtype))
    return find_in_narrow_floats(*this, io, lanes, *type);
  std::int64_t* out = io.outputs[0].as<std::int64_t>();
  visit_type(data.dtype, [&]<class T>(TypeTag<T>) {
    constexpr bool is_narrow = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;
    if constexpr (is_computed<T> && !std::is_same_v<T, bool> && !is_narrow)
      find(*this, lanes, data.as<T>(), out);
  });
}

std::string ArgReduceKernel::explain(Facts in, Facts) const {
  const bool is_narrow = narrow_float(in[0].dtype).has_value();
  if (in[0].dtype != DatumType::f32 && !is_narrow) return "place of the extreme, number by number";
  if (const auto shape = in[0].shape.concrete(); shape && !is_narrow) {
    const LaneBlocks lanes(*shape, axis_from_start(axis, shape->size()));
    const auto turns_rows = kernels::kernels(isa).turns_rows;
    if (lanes.inner == 1 && turns_rows(kernels::RowWork::search, lanes.outer, lanes.length))
      return explain_turned("place of the extreme", isa);
  }
  return explain_axis("place of the extreme", isa, in[0], axis);
}

/// ArgReduce -> ArgReduceKernel
Rewrite lower_arg_reduce(const NodeView& node, const Target& target) {
  const ArgReduce* reduce = node.op().as<ArgReduce>();
  if (!reduce || !moves_bytes(node) || !has_computed_numbers(node.input_fact(0).dtype))
    return no_change;
  return replace(
      node, ArgReduceKernel{reduce->op, reduce->axis, reduce->keep_dims, reduce->tie, target.isa},
      node.inputs());
}

}  // namespace strata
