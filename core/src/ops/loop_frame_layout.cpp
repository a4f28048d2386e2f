// How a loop's values lie in memory, which is found once for entries of some shapes.

#include <algorithm>

#include "alignment.h"
#include "ops/loop_frame.h"
#include "tensor_storage.h"

namespace strata {
namespace {

using OutputKind = Frame::Output::Kind;

}  // namespace

Rotation::Rotation(std::size_t bytes, std::size_t copies, std::size_t offset)
    : stride_(aligned(bytes)), copies_(copies), offset_(offset) {}

LoopFrame::LoopFrame(const Loop& loop, Runner& body)
    : loop_(loop), body_(body), carried_entries_(loop.carried()) {}

const Shape& LoopFrame::part_shape(std::size_t output) const {
  return body_.frame().outputs()[static_cast<std::size_t>(loop_.outputs[output].index)].shape;
}

LoopFrame::Fit LoopFrame::bind(std::span<const Shape> entries) {
  const Frame& frame = body_.frame();
  if (fit_ == Fit::steady && frame.is_bound() && frame.was_bound_for(body_shapes_) &&
      std::equal(entries.begin(), entries.end(), entry_shapes_.begin(), entry_shapes_.end()))
    return fit_;
  entry_shapes_.assign(entries.begin(), entries.end());
  body_shapes_.clear();
  if (loop_.numbered) body_shapes_.emplace_back();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    body_shapes_.push_back(entries[i]);
    const LoopInput& input = loop_.inputs[i];
    if (input.kind == LoopInput::Kind::scanned)
      body_shapes_.back()[normalized_axis(input.axis, entries[i].size())] = input.chunk;
  }
  fit_ = Fit::none;
  if (!body_.frame().bind(body_shapes_) || !is_placeable()) return fit_;
  plan_memory();
  return fit_ = is_steady() ? Fit::steady : Fit::changing;
}

/// Whether carried value `k` is one number, before the first iteration and after each.
bool LoopFrame::is_one(std::size_t k) const {
  return product(body_.frame().outputs()[k].shape) == 1 &&
         product(entry_shapes_[carried_entries_[k]]) == 1;
}

/// Whether the loop can hand on what enters and leaves the body by address.
bool LoopFrame::is_placeable() const {
  const auto outputs = body_.frame().outputs();
  const TypedModel& body = body_.plan().model();
  return std::none_of(outputs.begin(), outputs.end(),
                      [](const Frame::Output& output) { return is_packed(output.dtype); }) &&
         std::none_of(body.inputs().begin(), body.inputs().end(),
                      [&](OutletId input) { return is_packed(body.fact(input).dtype); }) &&
         (!loop_.condition || is_one(static_cast<std::size_t>(*loop_.condition)));
}

bool LoopFrame::is_steady() const {
  for (std::size_t k = 0; k < carried_entries_.size(); ++k)
    if (!(body_.frame().outputs()[k].shape == entry_shapes_[carried_entries_[k]])) return false;
  return true;
}

/// How stacked outputs are put together, and which results are made in their final place.
void LoopFrame::find_layouts() {
  const auto outputs = body_.frame().outputs();
  layouts_.assign(loop_.outputs.size(), StackLayout());
  direct_.assign(body_.frame().results().size(), std::nullopt);
  for (std::size_t o = 0; o < loop_.outputs.size(); ++o) {
    if (loop_.outputs[o].kind != LoopOutput::Kind::stacked) continue;
    const Frame::Output& part = outputs[static_cast<std::size_t>(loop_.outputs[o].index)];
    layouts_[o] = StackLayout(loop_.outputs[o], part.dtype, part.shape);
    if (part.kind == OutputKind::result && layouts_[o].is_direct()) direct_[part.index] = o;
  }
}

void LoopFrame::find_scans() {
  scans_.clear();
  for (std::size_t i = 0; i < loop_.inputs.size(); ++i) {
    const LoopInput& input = loop_.inputs[i];
    if (input.kind != LoopInput::Kind::scanned) continue;
    const Shape& shape = entry_shapes_[i];
    const std::size_t axis = normalized_axis(input.axis, shape.size());
    const DatumType dtype = body_.plan().model().input_fact(body_input(i)).dtype;
    const std::size_t inner_bytes = detail::bytes_of(dtype, product(Span(shape).subspan(axis + 1)));
    Scan scan;
    scan.entry = i;
    scan.reversed = input.reversed;
    scan.outer = static_cast<std::size_t>(product(Span(shape).first(axis)));
    scan.slice_bytes = static_cast<std::size_t>(input.chunk) * inner_bytes;
    scan.row_bytes = static_cast<std::size_t>(shape[axis]) * inner_bytes;
    scans_.push_back(scan);
  }
}

/// Whether an input of the body is the next value of something carried.
bool LoopFrame::is_passed_on(std::size_t input) const {
  const auto next = body_.frame().outputs().first(carried_entries_.size());
  return std::any_of(next.begin(), next.end(), [&](const Frame::Output& output) {
    return output.kind == OutputKind::input && output.index == input;
  });
}

/// A value that is carried on is read while the next is written, and for as many iterations more as
/// other carried values may pass it on.
std::size_t LoopFrame::copies_of(std::size_t result) const {
  const auto next = body_.frame().outputs().first(carried_entries_.size());
  const bool is_carried = std::any_of(next.begin(), next.end(), [&](const Frame::Output& output) {
    return output.kind == OutputKind::result && output.index == result;
  });
  return is_carried ? 2 + passed_on_ : 1;
}

/// The body's own memory first, then what each iteration makes.
void LoopFrame::plan_memory() {
  current_.resize(carried_entries_.size());
  next_.resize(carried_entries_.size());
  carried_shapes_.clear();
  for (const std::size_t entry : carried_entries_) carried_shapes_.push_back(entry_shapes_[entry]);
  find_layouts();
  find_scans();
  const auto next = body_.frame().outputs().first(carried_entries_.size());
  passed_on_ = static_cast<std::size_t>(
      std::count_if(next.begin(), next.end(),
                    [](const Frame::Output& output) { return output.kind == OutputKind::input; }));
  std::size_t end = aligned(body_.frame().bytes());
  const auto rotation = [&](std::size_t bytes, std::size_t copies) {
    Rotation made(bytes, copies, end);
    end = made.end();
    return made;
  };
  const auto input_copies = [&](std::size_t input) {
    return is_passed_on(input) ? 2 + passed_on_ : 1;
  };
  number_.reset();
  if (loop_.numbered) number_ = rotation(sizeof(std::int64_t), input_copies(0));
  for (Scan& scan : scans_)
    if (scan.outer > 1)
      scan.gathered = rotation(scan.outer * scan.slice_bytes, input_copies(body_input(scan.entry)));
  results_.clear();
  for (std::size_t r = 0; r < body_.frame().results().size(); ++r)
    results_.push_back(rotation(body_.frame().results()[r], copies_of(r)));
  scratch_bytes_ = end;
  placed_ = nullptr;
}

}  // namespace strata
