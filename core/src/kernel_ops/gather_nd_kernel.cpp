#include "kernel_ops/gather_nd_kernel.h"

#include <algorithm>

#include "kernel_ops/gather_kernel.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "strata/core/ops/squeeze.h"

namespace strata {
namespace {

/// Whether tuples are of one index, along the first axis, so that Gather picks the same. Constant
/// ones are left alone: Gather refuses wrong ones sooner, and they may never be read.
bool is_along_first(const GatherNd& gather, const Fact& indices) {
  return gather.batch_dims == 0 && indices.shape.dims().back() == Dim(1) && !indices.constant();
}

}  // namespace

void GatherNdKernel::run(const KernelIo& io) const {
  const TensorView &data = io.inputs[0], &indices = io.inputs[1];
  const Span whole = data.shape, listed = indices.shape;
  const auto batch = static_cast<std::size_t>(batch_dims),
             depth = static_cast<std::size_t>(listed.back());
  check_data(batch + depth <= whole.size(), "(C3) ", depth, " indices into ", whole);
  check_data(std::equal(whole.begin(), whole.begin() + batch_dims, listed.begin()),
             "(C2) batches of ", whole, " and ", listed, " differ");
  const Span sizes = whole.subspan(batch, depth);
  const std::int64_t run = volume(whole.subspan(batch + depth)) * width_of(data),
                     slices = volume(sizes), batches = volume(whole.first(batch)),
                     tuples = volume(listed.subspan(batch, listed.size() - 1 - batch));
  const WorkSize work{100 * static_cast<double>(batches * tuples),
                      2 * static_cast<double>(batches * tuples) * static_cast<double>(run)};
  share_range(io, work, batches * tuples, 1, [&](kernels::Range part) {
    constexpr std::int64_t kAhead = 16;  // slices are fetched before, since they may lie anywhere
    const std::byte* slice[kAhead];
    const auto find = [&](std::int64_t n) {
      const std::int64_t first = batches == 1 ? 0 : n / tuples * slices;
      slice[n % kAhead] = data.data + (first + slice_of(indices, n, sizes)) * run;
      __builtin_prefetch(slice[n % kAhead]);
    };
    for (std::int64_t n = part.begin; n < std::min(part.begin + kAhead, part.end); ++n) find(n);
    std::byte* to = io.outputs[0].data + part.begin * run;
    for (std::int64_t n = part.begin; n < part.end; ++n, to += run) {
      const std::byte* from = slice[n % kAhead];
      if (n + kAhead < part.end) find(n + kAhead);
      kernels::copy_bytes(to, from, static_cast<std::size_t>(run));
    }
  });
}

std::string GatherNdKernel::explain(Facts in, Facts) const {
  const auto depth = in[1].shape[in[1].shape.rank() - 1].constant();
  if (!depth) return "gather, runs as long as the sizes have them";
  return explain_runs("gather, runs", in[0], static_cast<std::size_t>(batch_dims + *depth));
}

/// GatherNd by i32 or i64 indices -> GatherNdKernel, or GatherKernel along the first axis
Rewrite lower_gather_nd(const NodeView& node, const Target&) {
  const GatherNd* gather = node.op().as<GatherNd>();
  if (!gather || !moves_bytes(node) || !is_index(node.input_fact(1))) return no_change;
  if (is_along_first(*gather, node.input_fact(1))) {
    Patch patch(node);
    const OutletId last = patch.constant("last", Tensor::of<std::int64_t>({1}, {-1})),
                   indices = patch.wire_one("indices", Squeeze{}, {node.input(1), last});
    patch.shunt(node.output(), patch.wire_one("", GatherKernel{0}, {node.input(0), indices}));
    return patch;
  }
  return replace(node, GatherNdKernel{gather->batch_dims}, node.inputs());
}

}  // namespace strata
