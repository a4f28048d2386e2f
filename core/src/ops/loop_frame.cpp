#include "ops/loop_frame.h"

#include <algorithm>

#include "ops/loop_values.h"

namespace strata {

void LoopFrame::place(std::byte* scratch) {
  placed_ = scratch;
  if (number_) number_->place(scratch);
  for (Scan& scan : scans_)
    if (scan.gathered) scan.gathered->place(scratch);
  for (Rotation& result : results_) result.place(scratch);
}

/// What holds before the first iteration.
void LoopFrame::take(std::span<const std::byte* const> entries) {
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (loop_.inputs[i].kind == LoopInput::Kind::invariant)
      body_.frame().set_input(body_input(i), entries[i]);
  for (std::size_t k = 0; k < carried_entries_.size(); ++k)
    current_[k] = entries[carried_entries_[k]];
  for (Scan& scan : scans_) scan.data = entries[scan.entry];
}

void LoopFrame::begin(std::span<const std::byte* const> entries, std::byte* scratch) {
  if (body_.frame().memory() != scratch) body_.frame().place(scratch);
  if (placed_ != scratch) place(scratch);
  take(entries);
}

std::int64_t LoopFrame::advance(RunContext& context, std::int64_t from,
                                std::optional<std::int64_t> until,
                                std::optional<std::int64_t> trips,
                                std::span<StackedOutput> stacks) {
  Frame& frame = body_.frame();
  std::int64_t n = from;
  try {
    for (; (!until || n < *until) && goes_on(); ++n) {
      context.count_iteration();
      set_inputs(n, trips);
      for (std::size_t r = 0; r < results_.size(); ++r) {
        std::byte* in_stack = place_in_stack(r, n, stacks);
        frame.set_result(r, in_stack ? in_stack : results_[r].next());
      }
      frame.run(context);
      collect(n, stacks);
      for (std::size_t k = 0; k < current_.size(); ++k) next_[k] = frame.output_data(k);
      current_.swap(next_);
    }
  } catch (Error& error) {
    throw in_iteration(error, n);
  }
  return n;
}

TensorView LoopFrame::carried(std::size_t k) const {
  return {current_[k], body_.frame().outputs()[k].dtype, carried_shapes_[k]};
}

void LoopFrame::set_inputs(std::int64_t n, std::optional<std::int64_t> trips) {
  Frame& frame = body_.frame();
  if (number_) {
    std::byte* number = number_->next();
    std::memcpy(number, &n, sizeof n);
    frame.set_input(0, number);
  }
  for (std::size_t k = 0; k < current_.size(); ++k)
    frame.set_input(body_input(carried_entries_[k]), current_[k]);
  for (Scan& scan : scans_) {
    const auto at = static_cast<std::size_t>(scan.reversed ? *trips - 1 - n : n);
    const std::byte* slice = scan.data + at * scan.slice_bytes;
    if (scan.gathered) {
      std::byte* to = scan.gathered->next();
      if (scan.slice_bytes > 0)
        for (std::size_t piece = 0; piece < scan.outer; ++piece)
          std::memcpy(to + piece * scan.slice_bytes, slice + piece * scan.row_bytes,
                      scan.slice_bytes);
      slice = to;
    }
    frame.set_input(body_input(scan.entry), slice);
  }
}

std::byte* LoopFrame::place_in_stack(std::size_t result, std::int64_t n,
                                     std::span<const StackedOutput> stacks) const {
  if (!direct_[result]) return nullptr;
  const StackedOutput& stack = stacks[*direct_[result]];
  return stack.whole ? layouts_[*direct_[result]].at(stack.whole, n, stack.trips) : nullptr;
}

/// Adds the iteration's parts to the stacks that they were not made in.
void LoopFrame::collect(std::int64_t n, std::span<StackedOutput> stacks) {
  for (std::size_t o = 0; o < stacks.size(); ++o) {
    if (loop_.outputs[o].kind != LoopOutput::Kind::stacked) continue;
    const auto index = static_cast<std::size_t>(loop_.outputs[o].index);
    const Frame::Output& part = body_.frame().outputs()[index];
    const std::byte* data = body_.frame().output_data(index);
    if (stacks[o].growing)
      stacks[o].growing->add(data);
    else if (part.kind != Frame::Output::Kind::result || direct_[part.index] != o)
      layouts_[o].put(stacks[o].whole, n, stacks[o].trips, data);
  }
}

bool LoopFrame::goes_on() const {
  if (!loop_.condition) return true;
  bool condition;
  std::memcpy(&condition, current_[static_cast<std::size_t>(*loop_.condition)], sizeof condition);
  return condition;
}

}  // namespace strata
