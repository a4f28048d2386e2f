#include "kernel_ops/tensor_scatter_kernel.h"

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/scatter_join.h"

namespace strata {
namespace {

/// Throws: run_time unless the update fits into the cache, with one start a batch.
void check_shapes(const KernelIo& io, std::size_t at) {
  const Span cache = io.inputs[0].shape, update = io.inputs[1].shape;
  bool fits = cache.size() == update.size();
  for (std::size_t i = 0; fits && i < cache.size(); ++i)
    fits = i == at ? update[i] <= cache[i] : update[i] == cache[i];
  check_data(fits, "(C1) an update of ", update, " does not go into ", cache);
  if (io.inputs.size() < 3) return;
  check_data(io.inputs[2].shape[0] == cache[0], "(C3) ", io.inputs[2].shape[0], " starts for ",
             cache[0], " batches");
}

/// Where rows [row, row + count) of the update go.
struct Run {
  std::int64_t row, target, count;
};

/// The first run of the update's rows, and where it passes the end of the axis another one.
std::array<Run, 2> runs_of(std::int64_t start, std::int64_t rows, std::int64_t extent,
                           ScatterWrap wrap) {
  if (wrap == ScatterWrap::circular && extent > 0) start = (start % extent + extent) % extent;
  check_data(wrap == ScatterWrap::circular || rows == 0 || (start >= 0 && start <= extent - rows),
             "(C4) row ", start < 0 ? start : std::max(start, extent), " is outside an axis of ",
             extent);
  const std::int64_t first = rows == 0 ? 0 : std::min(rows, extent - start);
  return {Run{0, start, first}, Run{first, 0, rows - first}};
}

}  // namespace

/// Throws before anything is written, which may be the cache.
void TensorScatterKernel::run(const KernelIo& io) const {
  const TensorView &cache = io.inputs[0], &update = io.inputs[1];
  const std::size_t at = axis_from_start(axis, cache.shape.size());
  check_shapes(io, at);
  const std::int64_t extent = cache.shape[at], rows = update.shape[at];
  const std::int64_t run = volume(Span(cache.shape).subspan(at + 1)) * width_of(cache);
  const std::int64_t outer = volume(Span(cache.shape).first(at));
  const auto runs_at = [&](std::int64_t n) {
    const std::int64_t batch = n / (outer / cache.shape[0]);
    const std::int64_t start =
        io.inputs.size() > 2 ? integer_at(io.inputs[2], static_cast<std::size_t>(batch)) : 0;
    return runs_of(start, rows, extent, wrap);
  };
  for (std::int64_t n = 0; n < outer; ++n) runs_at(n);
  copy_data(io);
  for (std::int64_t n = 0; n < outer; ++n)
    for (const Run& each : runs_at(n))
      kernels::copy_bytes(io.outputs[0].data + (n * extent + each.target) * run,
                          update.data + (n * rows + each.row) * run,
                          static_cast<std::size_t>(each.count * run));
}

std::string TensorScatterKernel::explain(Facts in, Facts) const {
  return explain_runs("scatter, runs", in[0], axis_from_start(axis, in[0].shape.rank()) + 1);
}

/// TensorScatter by i32 or i64 starts -> TensorScatterKernel
Rewrite lower_tensor_scatter(const NodeView& node, const Target&) {
  const TensorScatter* scatter = node.op().as<TensorScatter>();
  if (!scatter || !moves_bytes(node) || (node.inputs().size() > 2 && !is_index(node.input_fact(2))))
    return no_change;
  return replace(node, TensorScatterKernel{scatter->axis, scatter->wrap}, node.inputs());
}

}  // namespace strata
