#include "kernel_ops/scatter_nd_kernel.h"

#include "kernel_ops/movement.h"
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

/// Calls `move(slice, n)` with the number of the slice that tuple n names.
template <class Move>
void for_each_slice(const TensorView& indices, Span data, std::size_t depth, const Move& move) {
  const std::int64_t tuples = volume(Span(indices.shape).first(indices.shape.size() - 1));
  std::size_t at = 0;
  for (std::int64_t n = 0; n < tuples; ++n) {
    std::int64_t slice = 0;
    for (std::size_t i = 0; i < depth; ++i)
      slice = slice * data[i] + checked_index(integer_at(indices, at++), data[i]);
    move(slice, n);
  }
}

}  // namespace

void ScatterNdKernel::run(const KernelIo& io) const {
  const TensorView &data = io.inputs[0], &indices = io.inputs[1], &updates = io.inputs[2];
  std::byte* out = io.outputs[0].data;
  const Span whole = data.shape, lists = Span(indices.shape).first(indices.shape.size() - 1);
  const auto depth = static_cast<std::size_t>(indices.shape.back());
  check_data(depth <= whole.size(), "(C2) ", depth, " indices into ", whole);
  check_updates(whole, lists, updates.shape, depth);
  const std::int64_t width = width_of(data), inner = volume(whole.subspan(depth));
  const auto run = static_cast<std::size_t>(inner * width);
  if (out != data.data)
    kernels::copy_bytes(out, data.data, static_cast<std::size_t>(volume(whole) * width));
  if (reduction == ScatterReduction::none)
    return for_each_slice(indices, whole, depth, [&](std::int64_t slice, std::int64_t n) {
      kernels::copy_bytes(out + slice * inner * width, updates.data + n * inner * width, run);
    });
  visit_type(data.dtype, [&]<class T>(TypeTag<T>) {
    for_each_slice(indices, whole, depth, [&](std::int64_t slice, std::int64_t n) {
      T* to = reinterpret_cast<T*>(out) + slice * inner;
      const T* from = updates.as<T>() + n * inner;
      for (std::int64_t i = 0; i < inner; ++i) to[i] = reduced<T>(reduction, to[i], from[i]);
    });
  });
}

/// ScatterNd by i32 or i64 indices -> ScatterNdKernel
Rewrite lower_scatter_nd(const NodeView& node, const Target&) {
  const ScatterNd* scatter = node.op().as<ScatterNd>();
  if (!scatter || !moves_bytes(node) || !is_index(node.input_fact(1))) return no_change;
  return replace(node, ScatterNdKernel{scatter->reduction}, node.inputs());
}

}  // namespace strata
