#include "kernel_ops/scatter_nd_kernel.h"

#include <algorithm>
#include <type_traits>

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/scatter_join.h"
#include "kernel_ops/shared_work.h"

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

/// Calls `move(update)` for each tuple in turn that names one of `own` slices. Which of them are
/// own is no branch: it may be hard to foresee. `fetch(slice)`, if it is not null, is called some
/// updates ahead.
template <class Fetch, class Move>
void for_each_update(const TensorView& indices, Span data, kernels::Range own, const Fetch& fetch,
                     const Move& move) {
  constexpr bool fetches = !std::is_null_pointer_v<Fetch>;
  constexpr std::int64_t ahead = 4;
  const Span lists = Span(indices.shape).first(indices.shape.size() - 1);
  const Span sizes = data.first(static_cast<std::size_t>(indices.shape.back()));
  const std::int64_t tuples = volume(lists);
  const auto slice = [&](std::int64_t n) { return slice_of(indices, n, sizes); };
  if (own.end - own.begin == volume(sizes)) {
    for (std::int64_t n = 0; n < tuples; ++n) {
      if constexpr (fetches)
        if (n + ahead < tuples) fetch(slice(n + ahead));
      move(Update{slice(n), n});
    }
    return;
  }
  for (std::int64_t first = 0; first < tuples; first += kTogether) {
    Update updates[kTogether];
    std::int64_t count = 0;
    for (std::int64_t n = first; n < std::min(tuples, first + kTogether); ++n) {
      const Update update = updates[count] = {slice(n), n};
      count += static_cast<std::int64_t>((update.slice >= own.begin) & (update.slice < own.end));
    }
    for (std::int64_t i = 0; i < count; ++i) {
      if constexpr (fetches)
        if (i + ahead < count) fetch(updates[i + ahead].slice);
      move(updates[i]);
    }
  }
}

/// Copies slices of the data, unless they lie there.
void copy_slices(const KernelIo& io, std::int64_t run, kernels::Range own) {
  std::byte* out = io.outputs[0].data;
  if (out == io.inputs[0].data) return;
  kernels::copy_bytes(out + own.begin * run, io.inputs[0].data + own.begin * run,
                      static_cast<std::size_t>((own.end - own.begin) * run));
}

/// Makes of slices what the updates say, in their order. What a slice is joined to is waited for,
/// what it is written over is not.
void update_slices(const KernelIo& io, ScatterReduction reduction, std::int64_t inner,
                   kernels::Range own) {
  const TensorView &data = io.inputs[0], &indices = io.inputs[1], &updates = io.inputs[2];
  std::byte* out = io.outputs[0].data;
  const std::int64_t run = inner * width_of(data);
  if (reduction == ScatterReduction::none)
    return for_each_update(indices, data.shape, own, nullptr, [&](const Update& update) {
      kernels::copy_bytes(out + update.slice * run, updates.data + update.n * run,
                          static_cast<std::size_t>(run));
    });
  const ScatterJoin join(reduction, data.dtype);
  constexpr std::int64_t line = 64,
                         most = 8 * line;  // bytes of a slice whose rest follows by itself
  const auto fetch = [=, fetched = std::min(run, most)](std::int64_t slice) {
    for (std::int64_t at = 0; at < fetched; at += line)
      __builtin_prefetch(out + slice * run + at, 1);
  };
  for_each_update(indices, data.shape, own, fetch, [&](const Update& update) {
    join(out + update.slice * run, updates.data + update.n * run, inner);
  });
}

}  // namespace

/// Each thread has slices of its own, and looks for their updates among all of them, which takes
/// less time than to move the shortest slice into what another core has copied.
void ScatterNdKernel::run(const KernelIo& io) const {
  const Span whole = io.inputs[0].shape, indices = io.inputs[1].shape, updates = io.inputs[2].shape;
  const auto depth = static_cast<std::size_t>(indices.back());
  check_data(depth <= whole.size(), "(C2) ", depth, " indices into ", whole);
  check_updates(whole, indices.first(indices.size() - 1), updates, depth);
  const std::int64_t inner = volume(whole.subspan(depth)), slices = volume(whole.first(depth)),
                     width = width_of(io.inputs[0]);
  const WorkSize work{0, 2 * static_cast<double>((volume(whole) + volume(updates)) * width)};
  std::size_t parts = parts_of(io, work, slices);
  if (parts > 1) parts = std::min(parts, io.workers->usable(io.gain));
  share(io, parts, 0, [&](Share share, std::byte*) {
    const kernels::Range own = part_of(slices, 1, share);
    copy_slices(io, inner * width, own);
    update_slices(io, reduction, inner, own);
  });
}

std::string ScatterNdKernel::explain(Facts in, Facts) const {
  const auto depth = in[1].shape[in[1].shape.rank() - 1].constant();
  if (!depth) return "scatter, runs as long as the sizes have them";
  return explain_runs("scatter, runs", in[0], static_cast<std::size_t>(*depth));
}

/// ScatterNd by i32 or i64 indices -> ScatterNdKernel
Rewrite lower_scatter_nd(const NodeView& node, const Target&) {
  const ScatterNd* scatter = node.op().as<ScatterNd>();
  if (!scatter || !moves_bytes(node) || !is_index(node.input_fact(1))) return no_change;
  return replace(node, ScatterNdKernel{scatter->reduction}, node.inputs());
}

}  // namespace strata
