#include "frame.h"

#include <algorithm>
#include <limits>

#include "frame_parts.h"
#include "wavefront.h"

namespace strata {

using Schedule = Plan::Schedule;

namespace {

/// Bytes that a frame may take with room to grow, whatever it needs, and how many times its need
/// beyond that.
constexpr std::size_t kFreeRoom = 16 << 20, kMostRoom = 8;

/// Whether inputs have the shapes that the scratch memory was last found to be enough for.
bool were_asked_for(const FrameStep& step) {
  return std::ranges::equal(step.inputs, step.asked_for, {}, &TensorView::shape);
}

}  // namespace

Frame::Frame(const Plan& plan, std::span<const std::unique_ptr<OpState>> states)
    : plan_(plan), schedule_(plan.schedule()), states_(states), values_(plan), sizes_(values_) {
  input_data_.resize(schedule_.inputs.size());
  input_views_.resize(schedule_.inputs.size());
  result_data_.resize(values_.results());
  result_views_.resize(values_.results());
}

Frame::~Frame() = default;

void Frame::use_threads(bool is_threaded) {
  if (is_threaded == is_threaded_) return;
  is_threaded_ = is_threaded;
  is_bound_ = false;
  bound_for_.clear();
}

bool Frame::was_bound_for(std::span<const Shape> inputs) const {
  return std::equal(inputs.begin(), inputs.end(), bound_for_.begin(), bound_for_.end());
}

bool Frame::bind(std::span<const Shape> inputs, Room room) {
  try {
    if (!sizes_.are_as_promised(inputs)) return false;
    if (!values_.are_placeable()) {
      sizes_.check_symbols(inputs);  // what runs it value by value relies on symbols that agree
      return false;
    }
    if (room == Room::none) return lay_out_for(inputs);
    if (is_bound_ && bind_again(inputs)) return true;
    const std::vector<Shape> roomy = with_room(inputs);
    const bool has_room = !std::ranges::equal(roomy, inputs);
    return (has_room && lay_out_with_room(roomy, inputs)) || lay_out_for(inputs);
  } catch (...) {
    is_bound_ = false;
    bound_for_.clear();
    throw;
  }
}

/// Lays out for larger inputs, and then for these, or for these alone where room would take many
/// times the memory, as that of what is made of several inputs may. Returns false where it does not
/// help, or sizes that get room no longer agree.
bool Frame::lay_out_with_room(const std::vector<Shape>& roomy, std::span<const Shape> inputs) {
  try {
    if (!lay_out_for(roomy)) return false;
    if (const std::size_t roomy_bytes = bytes(); roomy_bytes > kFreeRoom) {
      if (!lay_out_for(inputs)) return false;
      if (roomy_bytes / kMostRoom > bytes()) return true;
      lay_out_for(roomy);
    }
    return bind_again(inputs);
  } catch (const Error&) {
    return false;
  }
}

/// The shapes to lay out for: axes that grew by a little will grow again, and get room to. Where an
/// input has more than two of them, it is another picture and not a longer row, and room along all
/// axes would be many times what is needed.
std::vector<Shape> Frame::with_room(std::span<const Shape> inputs) const {
  std::vector<Shape> roomy(inputs.begin(), inputs.end());
  constexpr std::int64_t kLittle = 16, kLeast = 64;
  for (std::size_t i = 0; i < bound_for_.size(); ++i) {
    std::size_t grown = 0;
    for (std::size_t axis = 0; axis < roomy[i].size() && axis < bound_for_[i].size(); ++axis) {
      std::int64_t& size = roomy[i][axis];
      const std::int64_t growth = size - bound_for_[i][axis];
      const bool may_double = size <= std::numeric_limits<std::int64_t>::max() / 2;
      if (!may_double || growth <= 0 || growth > std::max(size / 8, kLittle)) continue;
      size = std::max(2 * size, kLeast);
      ++grown;
    }
    if (grown > 2) roomy[i] = inputs[i];
  }
  return roomy;
}

/// Finds sizes, steps and places from nothing.
bool Frame::lay_out_for(std::span<const Shape> inputs) {
  is_bound_ = false;
  memory_ = nullptr;
  bound_for_.assign(inputs.begin(), inputs.end());
  SymbolScope scope;  // ops may try fresh dims before they see that all is known
  const FreshSymbols fresh(scope);
  if (!sizes_.find(inputs) || !add_steps()) return false;
  find_fronts();
  lay_out();
  connect();
  name_outputs();
  return is_bound_ = true;
}

/// Whether the values that move fit into their places.
bool Frame::has_room() const {
  const auto fits = [&](std::uint32_t v) {
    const bool is_local = values_[v].root == v && values_[v].storage == FrameValue::Storage::local;
    return !is_local || sizes_.bytes_of(v) <= places_[v].capacity;
  };
  return std::ranges::all_of(sizes_.moving(), fits);
}

/// Scratch memory that a step needs for its inputs as they are now; nothing when it cannot be
/// known. A kernel may need more for shorter axes: it may go another way then.
std::optional<std::size_t> Frame::scratch_again(FrameStep& step) const {
  const bool is_kernel = step.kind == FrameStep::Kind::kernel;
  if (step.kind == FrameStep::Kind::eval ||
      (is_kernel && (!step.node->op.takes_scratch() || were_asked_for(step))))
    return 0;
  SymbolScope scope;  // as in `lay_out_for`
  const FreshSymbols fresh(scope);
  if (!is_kernel) return step.state->bind(step.inputs, step.outputs);
  const std::size_t bytes = scratch_of(step.node->op, step.inputs);
  if (bytes <= step.scratch_bytes)
    for (std::size_t i = 0; i < step.inputs.size(); ++i) step.asked_for[i] = step.inputs[i].shape;
  return bytes;
}

/// Of all values that lie in the frame's memory, whether or not at the same time.
std::size_t Frame::local_bytes() const {
  std::size_t sum = 0;
  for (std::uint32_t v = 0; v < values_.count(); ++v)
    if (values_[v].root == v && values_[v].storage == FrameValue::Storage::local)
      sum += sizes_.bytes_of(v);
  return sum;
}

/// Keeps steps and places, and gives the values whose sizes depend on the inputs their new ones.
/// Returns false when they do not fit into their places, or leave nearly all of much memory idle.
bool Frame::bind_again(std::span<const Shape> inputs) {
  is_bound_ = false;
  if (!fronts_.empty()) return false;  // they know the trips of their loops
  if (!sizes_.move(inputs) || !has_room()) return false;
  for (const auto& [shape, v] : shapes_) *shape = sizes_.shape_of(v);
  for (const auto& [a, b] : shared_)
    if (sizes_.bytes_of(a) != sizes_.bytes_of(b)) return false;
  if (!hold_again()) return false;
  std::size_t scratch = 0;
  for (FrameStep& step : steps_) {
    const auto bytes = scratch_again(step);
    if (!bytes || *bytes > step.scratch_bytes) return false;
    scratch += *bytes > 0 ? *bytes : step.scratch_bytes;
  }
  if (bytes() > kFreeRoom && local_bytes() + scratch < bytes() / kMostRoom) return false;
  size_outputs();
  bound_for_.assign(inputs.begin(), inputs.end());
  return is_bound_ = true;
}

}  // namespace strata
