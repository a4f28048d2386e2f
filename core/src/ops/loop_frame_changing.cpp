#include <algorithm>

#include "ops/loop_frame.h"
#include "ops/loop_values.h"
#include "sole_owner.h"
#include "tensor_storage.h"

namespace strata {
namespace {

/// What is smaller is copied sooner than lent.
constexpr std::size_t kWorthLending = 4096;

std::size_t capacity_of(const std::shared_ptr<MutableTensor>& memory) {
  return memory ? memory->bytes().size() : 0;
}

/// At least `bytes` of memory; twice what there was where it must grow. Its content goes.
std::byte* with_capacity(std::shared_ptr<MutableTensor>& memory, std::size_t bytes) {
  if (const std::size_t before = capacity_of(memory); !memory || before < bytes)
    memory = std::make_shared<MutableTensor>(
        DatumType::u8, Shape{static_cast<std::int64_t>(std::max(bytes, 2 * before))});
  return memory->data();
}

}  // namespace

std::byte* GrowingRotation::next(std::size_t bytes) {
  at_ = at_ + 1 == copies_.size() ? 0 : at_ + 1;
  return with_capacity(copies_[at_], bytes);
}

std::byte* GrowingRotation::current(std::size_t bytes) {
  const auto& copy = copies_[at_];
  return copy && capacity_of(copy) >= bytes ? copy->data() : nullptr;
}

std::shared_ptr<MutableTensor> GrowingRotation::lent(const std::byte* data) const {
  const auto found = std::find_if(copies_.begin(), copies_.end(),
                                  [&](const auto& copy) { return copy && copy->data() == data; });
  return found == copies_.end() ? nullptr : *found;
}

void GrowingRotation::drop_lent() {
  for (auto& copy : copies_)
    if (!detail::is_sole_owner(copy)) copy.reset();
}

/// Finds which results extend a carried value. What the last run has grown to is kept: this one
/// will grow as far.
void LoopFrame::prepare_growing() {
  const Frame& frame = body_.frame();
  extended_.clear();
  for (std::size_t r = 0; r < frame.results().size(); ++r) {
    const std::size_t copies = copies_of(r);
    if (r == growing_results_.size()) growing_results_.emplace_back(copies);
    if (growing_results_[r].copies() != copies) growing_results_[r] = GrowingRotation(copies);
    growing_results_[r].drop_lent();
    const auto input = frame.extended_input(r);
    const auto carried = std::ranges::find_if(
        carried_entries_, [&](std::size_t entry) { return input && body_input(entry) == *input; });
    extended_.push_back(carried == carried_entries_.end()
                            ? std::nullopt
                            : std::optional<std::size_t>(carried - carried_entries_.begin()));
  }
}

std::int64_t LoopFrame::run_changing(RunContext& context, std::span<const std::byte* const> entries,
                                     std::optional<std::int64_t> trips,
                                     std::span<StackedOutput> stacks) {
  Frame& frame = body_.frame();
  place(with_capacity(changing_scratch_, scratch_bytes_));
  prepare_growing();
  take(entries);
  std::int64_t n = 0;
  try {
    for (; (!trips || n < *trips) && goes_on(); ++n) {
      context.count_iteration();
      bind_changed();
      set_inputs(n, trips);
      for (std::size_t r = 0; r < growing_results_.size(); ++r) {
        std::byte* in_stack = place_in_stack(r, n, stacks);
        frame.set_result(r, in_stack ? in_stack : changing_result(r));
      }
      frame.run(context);
      collect(n, stacks);
      for (std::size_t k = 0; k < current_.size(); ++k) {
        next_[k] = frame.output_data(k);
        carried_shapes_[k] = frame.outputs()[k].shape;
      }
      current_.swap(next_);
    }
  } catch (Error& error) {
    throw in_iteration(error, n);
  }
  fit_ = Fit::none;  // the body is no longer bound for the first shapes
  return n;
}

/// Lays the body out for the shapes that the carried values have by now.
void LoopFrame::bind_changed() {
  Frame& frame = body_.frame();
  for (std::size_t k = 0; k < carried_shapes_.size(); ++k)
    body_shapes_[body_input(carried_entries_[k])] = carried_shapes_[k];
  if (!frame.was_bound_for(body_shapes_)) {
    part_shapes_.resize(loop_.outputs.size());
    for (std::size_t o = 0; o < part_shapes_.size(); ++o)
      if (is_stacked(o)) part_shapes_[o] = part_shape(o);
    require(
        frame.bind(body_shapes_), ErrorKind::limit, "the carried values, now ",
        [&] {
          std::string shapes;
          for (const Shape& shape : carried_shapes_)
            shapes += cat(shapes.empty() ? "" : ", ", Span(shape));
          return shapes;
        },
        ", leave a value of the body without a size, or with one beyond the limit tensor_bytes");
    for (std::size_t o = 0; o < part_shapes_.size(); ++o)
      check_data(!is_stacked(o) || part_shape(o) == part_shapes_[o], "(C6) output ",
                 loop_.outputs[o].index, " of the body is stacked, and is ", Span(part_shape(o)),
                 " after ", Span(part_shapes_[o]));
  }
  if (!frame.memory() || !frame_memory_ || frame.memory() != frame_memory_->data())
    frame.place(with_capacity(frame_memory_, frame.bytes()));
}

/// Memory for a result: behind the carried value that it extends, where there is room.
std::byte* LoopFrame::changing_result(std::size_t result) {
  GrowingRotation& memory = growing_results_[result];
  const std::size_t bytes = body_.frame().results()[result];
  std::byte* last = memory.current(bytes);
  if (last && extended_[result] && current_[*extended_[result]] == last) return last;
  return memory.next(bytes);
}

void LoopFrame::release_memory() {
  growing_results_.clear();
  frame_memory_.reset();
  changing_scratch_.reset();
}

std::optional<Tensor> LoopFrame::lent(std::size_t k) const {
  const TensorView value = carried(k);
  const std::size_t bytes = detail::bytes_of(value.dtype, product(value.shape));
  if (bytes < kWorthLending) return std::nullopt;
  for (const GrowingRotation& memory : growing_results_)
    if (const auto lent = memory.lent(value.data); lent && 2 * bytes >= lent->bytes().size())
      return Tensor::borrowed(value.dtype, value.shape, value.data, lent);
  return std::nullopt;
}

}  // namespace strata
