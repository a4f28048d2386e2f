#include "kernel_ops/scatter_nd_kernel.h"

#include <algorithm>

#include "kernel_ops/movement.h"
#include "kernel_ops/shared_work.h"
#include "ops/movement.h"
#include "ops/scatter.h"

namespace strata {
namespace {

/// Throws: run_time unless the updates are one slice for each tuple of `depth` indices.
void check_updates(Span data, Span lists, Span updates, std::size_t depth) {
  bool fits = updates.size() == lists.size() + data.size() - depth;
  for (std::size_t i = 0; fits && i < updates.size(); ++i)
    fits = updates[i] == (i < lists.size() ? lists[i] : data[depth + i - lists.size()]);
  check_data(fits, "(C3) updates of shape ", updates, " do not fit data of ", data,
             " and indices of ", lists, " tuples");
}

constexpr std::int64_t kTogether =
    32;  ///< tuples that are looked at before the updates of some are moved

/// Tuple n, and the slice it names.
struct Update {
  std::int64_t slice, n;
};

/// Calls `move(update)` for each tuple in turn that names one of `own` slices. Which of them are own is
/// no branch: it may be hard to foresee.
template <class Move>
void for_each_update(const TensorView& indices, Span data, kernels::Range own, const Move& move) {
  const Span lists = Span(indices.shape).first(indices.shape.size() - 1);
  const auto depth = static_cast<std::size_t>(indices.shape.back());
  const std::int64_t tuples = volume(lists);
  std::size_t at = 0;
  const auto next = [&](std::int64_t n) {
    Update out{0, n};
    for (std::size_t i = 0; i < depth; ++i)
      out.slice = out.slice * data[i] + checked_index(integer_at(indices, at++), data[i]);
    return out;
  };
  if (own.end - own.begin == volume(data.first(depth))) {
    for (std::int64_t n = 0; n < tuples; ++n) move(next(n));
    return;
  }
  for (std::int64_t first = 0; first < tuples; first += kTogether) {
    Update updates[kTogether];
    std::size_t count = 0;
    for (std::int64_t n = first; n < std::min(tuples, first + kTogether); ++n) {
      const Update update = updates[count] = next(n);
      count += static_cast<std::size_t>((update.slice >= own.begin) & (update.slice < own.end));
    }
    for (std::size_t i = 0; i < count; ++i) move(updates[i]);
  }
}

/// Joins n elements to those at `to`.
using Join = void (*)(ScatterReduction reduction, std::byte* to, const std::byte* from,
                      std::int64_t n);
template <class T>
void join(ScatterReduction reduction, std::byte* to, const std::byte* from, std::int64_t n) {
  T* y = reinterpret_cast<T*>(to);
  const T* x = reinterpret_cast<const T*>(from);
  for (std::int64_t i = 0; i < n; ++i) y[i] = reduced<T>(reduction, y[i], x[i]);
}

/// Slices of the output: the data, and what the updates make of them, in their order.
void scatter_into(const KernelIo& io, ScatterReduction reduction, std::int64_t inner,
                  kernels::Range own) {
  const TensorView &data = io.inputs[0], &indices = io.inputs[1], &updates = io.inputs[2];
  std::byte* out = io.outputs[0].data;
  const std::int64_t run = inner * width_of(data);
  if (out != data.data)
    kernels::copy_bytes(out + own.begin * run, data.data + own.begin * run,
                        static_cast<std::size_t>((own.end - own.begin) * run));
  if (reduction == ScatterReduction::none)
    return for_each_update(indices, data.shape, own, [&](const Update& update) {
      kernels::copy_bytes(out + update.slice * run, updates.data + update.n * run,
                          static_cast<std::size_t>(run));
    });
  const Join joined = visit_type(data.dtype, []<class T>(TypeTag<T>) -> Join { return join<T>; });
  for_each_update(indices, data.shape, own, [&](const Update& update) {
    joined(reduction, out + update.slice * run, updates.data + update.n * run, inner);
  });
}

}  // namespace

/// Each thread has slices of its own, and looks for their updates among all of them, which pays where
/// slices are longer than that takes.
void ScatterNdKernel::run(const KernelIo& io) const {
  const Span whole = io.inputs[0].shape, indices = io.inputs[1].shape;
  const auto depth = static_cast<std::size_t>(indices.back());
  check_data(depth <= whole.size(), "(C2) ", depth, " indices into ", whole);
  check_updates(whole, indices.first(indices.size() - 1), io.inputs[2].shape, depth);
  const std::int64_t inner = volume(whole.subspan(depth)), slices = volume(whole.first(depth));
  const auto moved = static_cast<double>(volume(whole) + volume(io.inputs[2].shape));
  const WorkSize work{0, 2 * moved * static_cast<double>(width_of(io.inputs[0]))};
  constexpr std::int64_t kLong = 256;  // bytes
  std::size_t parts = inner * width_of(io.inputs[0]) < kLong ? 1 : parts_of(io, work, slices);
  if (parts > 1) parts = std::min(parts, io.workers->usable());
  share(io, parts, 0, [&](std::size_t part, std::byte*) {
    scatter_into(io, reduction, inner, part_of(slices, 1, part, parts));
  });
}

/// ScatterNd by i32 or i64 indices -> ScatterNdKernel
Rewrite lower_scatter_nd(const NodeView& node, const Target&) {
  const ScatterNd* scatter = node.op().as<ScatterNd>();
  if (!scatter || !moves_bytes(node) || !is_index(node.input_fact(1))) return no_change;
  return replace(node, ScatterNdKernel{scatter->reduction}, node.inputs());
}

}  // namespace strata
