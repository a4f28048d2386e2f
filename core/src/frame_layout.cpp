#include "frame_layout.h"

#include <algorithm>
#include <limits>

#include "alignment.h"
#include "frame_partition.h"

namespace strata {
namespace {

/// Steps from making a part to joining it that are soon: those of a block of a net, not those that
/// a connection past many blocks skips.
constexpr std::size_t kNear = 16;

/// Which parts of joins and splits lie in the memory of the whole.
enum class Holding : std::uint8_t {
  none,
  near,  ///< those that are joined soon after they are made
  all,
};

}  // namespace

/// Gives each value made on the way, and each step's scratch memory, a block.
class FrameLayout::Planner {
 public:
  Planner(const FrameSizes& sizes, std::span<const FrameStep> steps,
          std::span<const Wavefront> fronts, Holding holding)
      : sizes_(sizes), values_(sizes.values()), steps_(steps), fronts_(fronts), holding_(holding) {}

  FrameLayout run() {
    out_.places_.resize(values_.count());
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      add_blocks(s);
      if (holding_ != Holding::none && fronts_.empty()) hold_parts(s);
    }
    keep_fronts_apart();
    MemoryLayout memory = lay_out(out_.blocks_);
    out_.offsets_ = std::move(memory.offsets);
    out_.bytes_ = memory.total;
    return std::move(out_);
  }

 private:
  /// Whether a step may run at the same time as others.
  bool runs_aside(std::size_t s) const {
    return std::ranges::any_of(
        fronts_, [&](const Wavefront& front) { return front.first() <= s && s <= front.last(); });
  }

  /// The value that the step's first output may overwrite: an input of the same size that nobody
  /// else reads any more.
  std::optional<std::uint32_t> overwritten(std::size_t s) const {
    const FrameStep& step = steps_[s];
    if (step.kind != FrameStep::Kind::kernel || runs_aside(s)) return std::nullopt;
    const auto input = step.node->op.in_place_input();
    if (!input) return std::nullopt;
    const Plan::Schedule::Places& reads = step.scheduled->inputs;
    const std::uint32_t root = values_[reads[*input]].root;
    const auto reads_it = [&](std::uint32_t read) { return values_[read].root == root; };
    if (!values_.is_local(root) || out_.places_[root].is_shared ||
        values_[root].last != step.time ||
        sizes_.bytes_of(root) != sizes_.bytes_of(step.scheduled->outputs[0]) ||
        std::ranges::count_if(reads, reads_it) != 1)
      return std::nullopt;
    return root;
  }

  std::size_t add_block(const Lifetime& block) {
    out_.blocks_.push_back(block);
    return out_.blocks_.size() - 1;
  }

  void add_blocks(std::size_t s) {
    const FrameStep& step = steps_[s];
    out_.scratch_blocks_.push_back(add_block({step.scratch_bytes, step.time, step.time}));
    for (const std::uint32_t v : step.scheduled->outputs) {
      if (!values_.is_local(v)) continue;
      const bool is_first = v == step.scheduled->outputs[0];
      if (const auto from = is_first ? overwritten(s) : std::nullopt) {
        out_.overwriting_.emplace_back(v, *from);
        out_.places_[v] = out_.places_[*from];
        out_.blocks_[*out_.places_[v].block].last = values_[v].last;
      } else {
        const std::size_t bytes = sizes_.bytes_of(v);
        out_.places_[v].block = add_block({bytes, step.time, values_[v].last});
        out_.places_[v].capacity = bytes;
      }
    }
  }

  /// Places the parts of what the step joins or splits in the memory of the whole.
  void hold_parts(std::size_t s) {
    const FrameStep& step = steps_[s];
    const auto partition = partition_of(step, sizes_);
    if (!partition) return;
    Place& whole = out_.places_[values_[partition->whole].root];
    if (!whole.block) return;
    const auto is_dynamic = [&](std::uint32_t v) { return values_.is_dynamic(v); };
    const bool has_dynamic_offsets =
        is_dynamic(partition->whole) || std::ranges::any_of(partition->parts, is_dynamic);
    for (std::size_t i = 0; i < partition->parts.size(); ++i) {
      const std::uint32_t root = values_[partition->parts[i]].root;
      const std::size_t offset = partition->offsets[i];
      Place& part = out_.places_[root];
      if (!part.block || sizes_.bytes_of(root) == 0 || offset % kAlignment != 0) continue;
      Lifetime& block = out_.blocks_[*part.block];
      if (part.block == whole.block || block.held || is_too_early(root, step)) continue;
      // A part that is read after the join must not be overwritten through the whole.
      whole.is_shared |= !partition->is_join || part.is_shared || block.last > step.time;
      part.is_shared = true;
      part.capacity = std::numeric_limits<std::size_t>::max();  // the whole has room for it
      block.held = {*whole.block, offset};
      out_.holds_parts_ = true;
      if (has_dynamic_offsets) out_.dynamic_parts_.push_back({*part.block, s, i});
    }
  }

  /// Whether a part is made too long before the step to lie in the whole all that time.
  bool is_too_early(std::uint32_t part, const FrameStep& step) const {
    const std::size_t made_at = values_.plan().schedule().values[part].made_at;
    return holding_ == Holding::near && step.time > made_at + kNear;
  }

  /// The steps of a wavefront run at the same time: what one of them uses lives as long as all.
  void keep_fronts_apart() {
    for (const Wavefront& front : fronts_) {
      const std::size_t first = steps_[front.first()].time, last = steps_[front.last()].time;
      for (Lifetime& block : out_.blocks_) {
        if (block.first > last || block.last < first) continue;
        block.first = std::min(block.first, first);
        block.last = std::max(block.last, last);
      }
    }
  }

  const FrameSizes& sizes_;
  const FrameValues& values_;
  std::span<const FrameStep> steps_;
  std::span<const Wavefront> fronts_;
  Holding holding_;
  FrameLayout out_;
};

FrameLayout FrameLayout::best(const FrameSizes& sizes, std::span<const FrameStep> steps,
                              std::span<const Wavefront> fronts) {
  const auto with = [&](Holding holding) { return Planner(sizes, steps, fronts, holding).run(); };
  FrameLayout all = with(Holding::all);
  if (!all.holds_parts_) return all;
  FrameLayout none = with(Holding::none);
  if (all.bytes() <= none.bytes()) return all;
  FrameLayout near = with(Holding::near);
  return near.bytes() <= none.bytes() ? std::move(near) : std::move(none);
}

bool FrameLayout::update(const FrameSizes& sizes, std::span<const FrameStep> steps) {
  for (const std::uint32_t v : sizes.dynamic())
    if (sizes.values().is_local(v) && sizes.bytes_of(v) > places_[v].capacity) return false;
  for (const auto& [a, b] : overwriting_)
    if (sizes.bytes_of(a) != sizes.bytes_of(b)) return false;
  std::optional<Partition> partition;
  for (std::size_t i = 0; i < dynamic_parts_.size(); ++i) {
    const auto& [block, step, part] = dynamic_parts_[i];
    if (i == 0 || step != dynamic_parts_[i - 1].step) partition = partition_of(steps[step], sizes);
    if (!partition || partition->offsets[part] % kAlignment != 0) return false;
    blocks_[block].held->offset = partition->offsets[part];
  }
  if (!dynamic_parts_.empty()) place_held(blocks_, offsets_);
  return true;
}

}  // namespace strata
