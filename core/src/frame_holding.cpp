#include <algorithm>
#include <limits>

#include "alignment.h"
#include "frame_parts.h"
#include "kernel_ops/concat_kernel.h"
#include "kernel_ops/split_kernel.h"
#include "strata/core/ops/support.h"

/// Joins and splits without copies: a part is made where it is to lie in the whole, or read where
/// it lies in it.
namespace strata {
namespace {

constexpr std::size_t kNear = 16;  ///< steps

/// A step that joins parts to a whole, or splits it into them.
struct Division {
  std::size_t axis = 0;
  const Shape* whole = nullptr;
  std::size_t width = 0;  ///< bytes of an element
  std::vector<const Shape*> parts;
};

std::optional<Division> division_of(const FrameStep& step) {
  Division out;
  if (const auto* join = step.node->op.as<ConcatKernel>()) {
    out.whole = &step.outputs[0].shape;
    out.axis = normalized_axis(join->axis, out.whole->size());
    for (const TensorView& part : step.inputs) out.parts.push_back(&part.shape);
  } else if (const auto* split = step.node->op.as<SplitKernel>()) {
    out.whole = &step.inputs[0].shape;
    out.axis = normalized_axis(split->axis, out.whole->size());
    for (const MutableTensorView& part : step.outputs) out.parts.push_back(&part.shape);
  } else {
    return std::nullopt;
  }
  out.width = bit_width(step.outputs[0].dtype) / 8;
  return out;
}

/// Bytes before each part, when each lies in one piece, and together they are the whole; else
/// nothing.
std::vector<std::size_t> offsets_in(const Division& division) {
  const Span whole = *division.whole;
  if (product(whole.first(division.axis)) != 1) return {};
  const auto slice =
      static_cast<std::size_t>(product(whole.subspan(division.axis + 1))) * division.width;
  std::vector<std::size_t> offsets;
  std::int64_t before = 0;
  for (const Shape* part : division.parts) {
    Shape as_part(whole.begin(), whole.end());
    if (part->size() != whole.size()) return {};
    as_part[division.axis] = (*part)[division.axis];
    if (as_part != *part) return {};
    offsets.push_back(static_cast<std::size_t>(before) * slice);
    before += as_part[division.axis];
  }
  return before == whole[division.axis] ? offsets : std::vector<std::size_t>{};
}

}  // namespace

/// Lets the parts of what the step joins, or splits, lie where the whole lies.
void Frame::hold_parts(std::size_t s, Holding holding) {
  const FrameStep& step = steps_[s];
  const auto division = division_of(step);
  if (!division || !fronts_.empty()) return;
  const bool is_join = division->whole == &step.outputs[0].shape;
  const Plan::Schedule::Step& scheduled = *step.scheduled;
  LocalPlace& whole = places_[values_[is_join ? scheduled.outputs[0] : scheduled.inputs[0]].root];
  if (whole.block == kNoBlock) return;
  const std::vector<std::size_t> offsets = offsets_in(*division);
  const auto is_moving = [&](std::uint32_t v) { return values_.moves(v); };
  const bool moves = std::ranges::any_of(scheduled.inputs, is_moving) ||
                     std::ranges::any_of(scheduled.outputs, is_moving);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::uint32_t root = values_[is_join ? scheduled.inputs[i] : scheduled.outputs[i]].root;
    LocalPlace& part = places_[root];
    if (part.block == kNoBlock || sizes_.bytes_of(root) == 0 || offsets[i] % kAlignment != 0)
      continue;
    if (part.block == whole.block || blocks_[part.block].held) continue;
    if (holding == Holding::near && time_of(step) > schedule_.values[root].made_at + kNear)
      continue;
    // What is read after the join must not be written over by way of the whole.
    whole.is_shared |= !is_join || part.is_shared || blocks_[part.block].last > time_of(step);
    part.is_shared = true;
    part.capacity = std::numeric_limits<std::size_t>::max();  // what holds it has the bytes
    blocks_[part.block].held = {whole.block, offsets[i]};
    held_.push_back({part.block, s, i, moves});
  }
}

/// Finds the places of held blocks anew, for sizes that moved. Returns false when they cannot stay.
bool Frame::hold_again() {
  std::vector<std::size_t> offsets;
  bool has_moved = false;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const auto& [block, step, part, moves] = held_[i];
    if (!moves) continue;
    has_moved = true;
    if (i == 0 || step != held_[i - 1].step) offsets = offsets_in(*division_of(steps_[step]));
    if (offsets.empty() || offsets[part] % kAlignment != 0) return false;
    blocks_[block].held->offset = offsets[part];
  }
  if (!has_moved) return true;
  place_held(blocks_, offsets_);
  if (memory_) place(memory_);
  return true;
}

}  // namespace strata
