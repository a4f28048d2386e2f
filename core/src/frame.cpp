#include "frame.h"

#include <algorithm>
#include <limits>

#include "frame_parts.h"
#include "kernel_ops/view_kernel.h"
#include "memory_account.h"
#include "strata/core/ops/support.h"
#include "tensor_storage.h"
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

bool is_placeable(const Fact& fact) {
  return fact.is_tensor() && !fact.shape.is_open() && fact.dtype != DatumType::string &&
         fact.dtype != DatumType::dim;
}

Frame::Frame(const Plan& plan, std::span<const std::unique_ptr<OpState>> states)
    : plan_(plan), schedule_(plan.schedule()), states_(states), symbols_(plan.model()) {
  slots_.resize(schedule_.values.size());
  find_roots();
  input_data_.resize(schedule_.inputs.size());
  input_views_.resize(schedule_.inputs.size());
}

Frame::~Frame() = default;

const Fact& Frame::fact_of(std::uint32_t value) const {
  return plan_.model().fact(schedule_.values[value].outlet);
}

/// Where each value is kept, as far as the plan alone tells.
void Frame::find_roots() {
  using Storage = FrameSlot::Storage;
  for (std::uint32_t v = 0; v < slots_.size(); ++v) {
    const Schedule::ValueInfo& info = schedule_.values[v];
    slots_[v].root = v;
    slots_[v].last = info.last_read;
    if (!info.persistent) may_bind_ = may_bind_ && is_placeable(fact_of(v));
  }
  for (std::size_t i = 0; i < schedule_.inputs.size(); ++i) {
    slots_[schedule_.inputs[i]].storage = Storage::input;
    slots_[schedule_.inputs[i]].index = i;
  }
  for (const auto& [v, value] : schedule_.constants) {
    slots_[v].storage = Storage::constant;
    slots_[v].constant = &value;
  }
  for (const Schedule::Step& step : schedule_.steps) {
    if (!plan_.model().node(step.node).op.as<ViewKernel>()) continue;
    FrameSlot& view = slots_[step.outputs[0]];
    view.root = slots_[step.inputs[0]].root;
    slots_[view.root].last = std::max(slots_[view.root].last, view.last);
  }
  for (const std::uint32_t v : schedule_.outputs) {
    may_bind_ = may_bind_ && is_placeable(fact_of(v));
    FrameSlot& root = slots_[slots_[v].root];
    if (root.storage != Storage::local) continue;
    root.storage = Storage::result;
    root.index = result_data_.size();
    result_data_.push_back(nullptr);
  }
  result_views_.resize(result_data_.size());
}

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
    if (!are_as_promised(inputs)) return false;
    if (!may_bind_) {
      symbols_.bind(inputs);  // what runs it value by value relies on symbols that agree
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
  if (!doubtful_) find_doubts();
  if (!find_shapes(inputs) || !do_sizes_agree()) return false;
  if (!add_steps()) return false;
  find_fronts();
  lay_out();
  connect();
  name_outputs();
  return is_bound_ = true;
}

bool Frame::find_shapes(std::span<const Shape> inputs) {
  symbols_.bind(inputs);
  moving_.clear();
  moves_are_known_ = false;
  for (std::uint32_t v = 0; v < slots_.size(); ++v) {
    FrameSlot& slot = slots_[v];
    if (slot.constant) {
      if (!slot.constant->is_tensor()) continue;
      slot.shape = slot.constant->tensor().shape();
      slot.bytes = slot.constant->tensor().byte_size();
      continue;
    }
    // A view may be said to have a size that what it is a view of has not.
    if (!fact_of(v).shape.concrete() || !fact_of(slot.root).shape.concrete()) moving_.push_back(v);
    if (!find_shape(v, inputs)) return false;
  }
  return true;
}

/// Whether inputs have the ranks and constant sizes that the model says: bodies are given what they
/// are without a check of their own.
bool Frame::are_as_promised(std::span<const Shape> inputs) const {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Fact& fact = plan_.model().input_fact(i);
    if (fact.is_tensor() && !fits(fact.shape, inputs[i])) return false;
  }
  return true;
}

/// Whether the shape of a value is known, and as large as what it is a view of.
bool Frame::find_shape(std::uint32_t v, std::span<const Shape> inputs) {
  FrameSlot& slot = slots_[v];
  if (slot.storage == FrameSlot::Storage::input && slot.root == v) {
    slot.shape = inputs[slot.index];
  } else {
    auto shape = resolved(fact_of(v).shape, symbols_.values());
    if (!shape) shape = inferred_shape(v);
    if (!shape) return false;
    slot.shape = *std::move(shape);
  }
  if (!find_bytes(v)) return false;
  return slot.root == v || slot.bytes == slots_[slot.root].bytes;
}

/// Bytes of a value of known shape. Returns false when a tensor may not have so many: its node says
/// so when it is run value by value.
bool Frame::find_bytes(std::uint32_t v) {
  FrameSlot& slot = slots_[v];
  if (!may_be(fact_of(v).dtype, slot.shape, plan_.limits())) return false;
  slot.bytes = detail::bytes_of(fact_of(v).dtype, product(slot.shape));
  return true;
}

/// The shape of a value by the op that makes it, whose inputs have theirs; nothing when the data
/// tell it. So two sizes that broadcast, which may be equal or 1, need no formula for what comes
/// out.
std::optional<Shape> Frame::inferred_shape(std::uint32_t v) {
  const Schedule::ValueInfo& info = schedule_.values[v];
  const Schedule::Step& step = schedule_.steps[info.made_at];
  FactList facts;
  for (const std::uint32_t read : step.inputs)
    facts.push_back(slots_[read].constant ? fact_of(read)
                                          : Fact::tensor(fact_of(read).dtype, slots_[read].shape));
  try {
    SymbolScope scope;
    const FactList out = infer_facts(plan_.model().node(step.node).op, GatheredFacts(facts), scope);
    auto shape = out[info.outlet.slot].shape.concrete();
    return shape && symbols_.learn(fact_of(v).shape, *shape) ? shape : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // running it value by value tells what does not fit
  }
}

/// Notes the axes of a value that move. Returns false, and notes none, when it is an input, or some
/// size is more than a symbol and a number.
bool Frame::find_axes(std::uint32_t v) {
  if (slots_[v].storage == FrameSlot::Storage::input && slots_[v].root == v) return false;
  const std::size_t before = axes_.size();
  const ShapeFact& shape = fact_of(v).shape;
  for (std::uint32_t axis = 0; axis < shape.rank(); ++axis) {
    const auto names = shape[axis].symbols();
    if (names.empty()) continue;
    const auto symbol = symbols_.values().find(names[0]);
    const auto more = (shape[axis] - Dim::symbol(names[0])).constant();
    if (!more || symbol == symbols_.values().end()) {
      axes_.resize(before);
      return false;
    }
    axes_.push_back({v, axis, &symbol->second, *more});
  }
  return true;
}

/// How values move, for all the times that they will.
void Frame::find_moves() {
  axes_.clear();
  other_.clear();
  for (const std::uint32_t v : moving_)
    if (!find_axes(v)) other_.push_back(v);
  moves_are_known_ = true;
}

/// Gives the values that move their new sizes. Returns false when they do not fit into their
/// places.
bool Frame::move(std::span<const Shape> inputs) {
  for (const auto& [v, axis, symbol, more] : axes_) {
    std::int64_t& size = slots_[v].shape[axis];
    if (__builtin_add_overflow(*symbol, more, &size) || size < 0) return false;
  }
  for (const std::uint32_t v : moving_)
    if (!find_bytes(v)) return false;
  for (const std::uint32_t v : other_)
    if (!find_shape(v, inputs)) return false;
  return std::ranges::all_of(moving_, [&](std::uint32_t v) {
    const FrameSlot& slot = slots_[v];
    if (slot.root != v) return slot.bytes == slots_[slot.root].bytes;
    return slot.storage != FrameSlot::Storage::local || slot.bytes <= slot.capacity;
  });
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
  for (std::uint32_t v = 0; v < slots_.size(); ++v)
    if (slots_[v].root == v && slots_[v].storage == FrameSlot::Storage::local)
      sum += slots_[v].bytes;
  return sum;
}

/// Keeps steps and places, and gives the values whose sizes depend on the inputs their new ones.
/// Returns false when they do not fit into their places, or leave nearly all of much memory idle.
bool Frame::bind_again(std::span<const Shape> inputs) {
  is_bound_ = false;
  if (!fronts_.empty()) return false;        // they know the trips of their loops
  if (symbols_.has_learned()) return false;  // of other shapes
  symbols_.bind(inputs);
  if (!moves_are_known_) find_moves();
  if (!move(inputs) || !do_sizes_agree()) return false;
  for (const auto& [shape, v] : shapes_) *shape = slots_[v].shape;
  for (const auto& [a, b] : shared_)
    if (slots_[a].bytes != slots_[b].bytes) return false;
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
