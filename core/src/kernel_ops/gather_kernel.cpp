#include "kernel_ops/gather_kernel.h"

#include <algorithm>

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "ops/movement.h"
#include "strata/core/ops/gather.h"

namespace strata {
namespace {

/// How many slices ahead to prefetch, since they may lie anywhere.
constexpr std::int64_t kAhead = 16;
constexpr std::int64_t kRun = 16;  ///< slices copied at once where they lie one after the other

constexpr std::int64_t kNearBytes = 1 << 18;  ///< of data that need no prefetching

/// Whether kRun indices count up by one.
template <class I>
bool counts_up(const I* indices) {
  const auto first = static_cast<std::uint64_t>(indices[0]);
  if (static_cast<std::uint64_t>(indices[1]) != first + 1) return false;
  std::uint64_t differences = 0;
  for (std::uint64_t k = 0; k < kRun; ++k)
    differences |= static_cast<std::uint64_t>(indices[k]) ^ (first + k);
  return differences == 0;
}

/// What indices name.
struct Slices {
  const std::byte* data;
  std::int64_t count;
  std::int64_t bytes;  ///< of each
};

/// The slices that some indices name, one after the other.
template <class I>
void copy_picked(const Slices& slices, const I* indices, kernels::Range picks, std::byte* to) {
  const auto index = [&](std::int64_t i) { return checked_index(indices[i], slices.count); };
  const auto slice = [&](std::int64_t i) { return slices.data + i * slices.bytes; };
  for (std::int64_t i = picks.begin; i < picks.end;) {
    const std::int64_t first = index(i);
    const bool is_run =
        i + kRun <= picks.end && counts_up(indices + i) && index(i + kRun - 1) == first + kRun - 1;
    const std::int64_t count = is_run ? kRun : 1;
    if (!is_run && i + kAhead < picks.end) __builtin_prefetch(slice(index(i + kAhead)));
    kernels::copy_bytes(to, slice(first), static_cast<std::size_t>(count * slices.bytes));
    i += count;
    to += count * slices.bytes;
  }
}

void copy_picked(const Slices& slices, const TensorView& indices, kernels::Range picks,
                 std::byte* to) {
  if (indices.dtype == DatumType::i32)
    copy_picked(slices, indices.as<std::int32_t>(), picks, to);
  else
    copy_picked(slices, indices.as<std::int64_t>(), picks, to);
}

/// Some of the single elements that `count` indices name in each of some places of `extent`
/// elements.
struct ElementPicks {
  std::int64_t extent;
  std::int64_t count;
  kernels::Range places;
  kernels::Range picks;
};

/// Picks them without prefetching, since they are near.
template <class T, class I>
void pick_elements(const ElementPicks& p, const I* indices, const T* from, T* to) {
  for (std::int64_t place = p.places.begin; place < p.places.end; ++place)
    for (std::int64_t i = p.picks.begin; i < p.picks.end; ++i)
      to[place * p.count + i] = from[place * p.extent + checked_index(indices[i], p.extent)];
}

void pick_elements(const KernelIo& io, const ElementPicks& picks) {
  const TensorView &data = io.inputs[0], &indices = io.inputs[1];
  visit_width(data.dtype, [&]<class T>(TypeTag<T>) {
    T* to = io.outputs[0].as<T>();
    if (indices.dtype == DatumType::i32)
      pick_elements(picks, indices.as<std::int32_t>(), data.as<T>(), to);
    else
      pick_elements(picks, indices.as<std::int64_t>(), data.as<T>(), to);
  });
}

/// Threads share places, or the picks of a single one.
void share_picks(const KernelIo& io, std::int64_t extent, std::int64_t count, std::int64_t places) {
  const WorkSize work = work_on(2 * places * count, 10);
  if (places == 1)
    return share_range(io, work, count, kElementStep, [&](kernels::Range picks) {
      pick_elements(io, {extent, count, {0, 1}, picks});
    });
  share_range(io, work, places, 1, [&](kernels::Range part) {
    pick_elements(io, {extent, count, part, {0, count}});
  });
}

}  // namespace

FactList GatherKernel::output_facts(Facts in) const { return Gather{axis}.output_facts(in); }

void GatherKernel::run(const KernelIo& io) const {
  const TensorView &data = io.inputs[0], &indices = io.inputs[1];
  const Span from = data.shape;
  const std::size_t at = axis_from_start(axis, from.size());
  const std::int64_t extent = from[at], outer = volume(from.first(at)),
                     run = volume(from.subspan(at + 1)) * width_of(data);
  const std::int64_t count = volume(indices.shape);
  if (outer == 0)  // wrong indices are still refused
    return copy_picked({data.data, extent, 0}, indices, {0, count}, io.outputs[0].data);
  if (run == width_of(data) && (outer > 1 || extent * run <= kNearBytes))
    return share_picks(io, extent, count, outer);
  const WorkSize work{0, 2 * static_cast<double>(outer * count) * static_cast<double>(run)};
  share_range(io, work, outer * count, 1, [&](kernels::Range part) {
    for (std::int64_t n = part.begin; n < part.end;) {
      const std::int64_t place = n / count, first = n % count,
                         last = std::min(count, first + part.end - n);
      copy_picked({data.data + place * extent * run, extent, run}, indices, {first, last},
                  io.outputs[0].data + n * run);
      n += last - first;
    }
  });
}

std::string GatherKernel::explain(Facts in, Facts) const {
  return explain_runs("gather, runs", in[0], axis_from_start(axis, in[0].shape.rank()) + 1);
}

/// Gather by i32 or i64 indices -> GatherKernel
Rewrite lower_gather(const NodeView& node, const Target&) {
  const Gather* gather = node.op().as<Gather>();
  if (!gather || !moves_bytes(node) || !is_index(node.input_fact(1))) return no_change;
  return replace(node, GatherKernel{gather->axis}, node.inputs());
}

}  // namespace strata
