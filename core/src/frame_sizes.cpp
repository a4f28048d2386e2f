#include "frame_sizes.h"

#include <algorithm>

#include "frame_doubts.h"
#include "memory_account.h"
#include "strata/core/ops/support.h"
#include "tensor_storage.h"

namespace strata {

using Schedule = Plan::Schedule;

FrameSizes::FrameSizes(const FrameValues& values)
    : values_(values),
      symbols_(values.plan().model()),
      shapes_(values.count()),
      bytes_(values.count()) {
  for (std::uint32_t v = 0; v < values.count(); ++v) {
    if (const Value* constant = values[v].constant) {
      if (!constant->is_tensor()) continue;
      shapes_[v] = constant->tensor().shape();
      bytes_[v] = constant->tensor().byte_size();
    } else if (values.moves(v) || values.moves(values[v].root)) {
      moving_.push_back(v);  // a view may be said to have a size that its root has not
    }
  }
}

bool FrameSizes::are_as_promised(std::span<const Shape> inputs) const {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Fact& fact = values_.plan().model().input_fact(i);
    if (fact.is_tensor() && !fits(fact.shape, inputs[i])) return false;
  }
  return true;
}

bool FrameSizes::find(std::span<const Shape> inputs) {
  symbols_.bind(inputs);
  for (std::uint32_t v = 0; v < values_.count(); ++v)
    if (!values_[v].constant && (!find_shape(v, inputs) || !is_as_root(v))) return false;
  if (!doubts_) doubts_ = doubts_of(values_);
  return agree();
}

bool FrameSizes::move(std::span<const Shape> inputs) {
  if (symbols_.has_learned()) return false;  // of other shapes
  symbols_.bind(inputs);
  if (!moves_) moves_ = find_moves();
  for (const auto& [v, axis, symbol, more] : moves_->axes) {
    std::int64_t& size = shapes_[v][axis];
    if (__builtin_add_overflow(*symbol, more, &size) || size < 0) return false;
  }
  for (const std::uint32_t v : moving_)
    if (!find_bytes(v)) return false;
  for (const std::uint32_t v : moves_->other)
    if (!find_shape(v, inputs)) return false;
  return std::ranges::all_of(moving_, [&](std::uint32_t v) { return is_as_root(v); }) && agree();
}

std::size_t FrameSizes::local_bytes() const {
  std::size_t sum = 0;
  for (std::uint32_t v = 0; v < values_.count(); ++v)
    if (values_.is_local(v)) sum += bytes_[v];
  return sum;
}

bool FrameSizes::is_input(std::uint32_t v) const {
  return values_[v].storage == FrameValue::Storage::input && values_[v].root == v;
}

bool FrameSizes::is_as_root(std::uint32_t v) const { return bytes_[v] == bytes_[values_[v].root]; }

/// Whether the shape of a value is known, and its bytes.
bool FrameSizes::find_shape(std::uint32_t v, std::span<const Shape> inputs) {
  if (is_input(v)) {
    shapes_[v] = inputs[values_[v].index];
  } else {
    auto shape = resolved(values_.fact_of(v).shape, symbols_.values());
    if (!shape) shape = inferred_shape(v);
    if (!shape) return false;
    shapes_[v] = *std::move(shape);
  }
  return find_bytes(v);
}

/// Bytes of a value of known shape. Returns false when a tensor may not have so many: its node says
/// so when it is run value by value.
bool FrameSizes::find_bytes(std::uint32_t v) {
  const DatumType dtype = values_.fact_of(v).dtype;
  if (!may_be(dtype, shapes_[v], values_.plan().limits())) return false;
  bytes_[v] = detail::bytes_of(dtype, product(shapes_[v]));
  return true;
}

/// The shape of a value by the op that makes it, whose inputs have theirs; nothing when the data
/// tell it. So two sizes that broadcast, which may be equal or 1, need no formula for what comes
/// out.
std::optional<Shape> FrameSizes::inferred_shape(std::uint32_t v) {
  const Schedule& schedule = values_.plan().schedule();
  const Schedule::ValueInfo& info = schedule.values[v];
  const Schedule::Step& step = schedule.steps[info.made_at];
  FactList facts;
  for (const std::uint32_t read : step.inputs) {
    const Fact& fact = values_.fact_of(read);
    facts.push_back(values_[read].constant ? fact : Fact::tensor(fact.dtype, shapes_[read]));
  }
  try {
    SymbolScope scope;
    const FactList out = infer_facts(values_.node_of(step).op, GatheredFacts(facts), scope);
    auto shape = out[info.outlet.slot].shape.concrete();
    return shape && symbols_.learn(values_.fact_of(v).shape, *shape) ? shape : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // running it value by value tells what does not fit
  }
}

FrameSizes::Moves FrameSizes::find_moves() const {
  Moves moves;
  for (const std::uint32_t v : moving_)
    if (!add_axes(v, moves.axes)) moves.other.push_back(v);
  return moves;
}

/// Notes the axes of a value that move. Returns false, and notes none, when it is an input, or some
/// size is more than a symbol and a number.
bool FrameSizes::add_axes(std::uint32_t v, std::vector<MovingAxis>& axes) const {
  if (is_input(v)) return false;
  const std::size_t before = axes.size();
  const ShapeFact& shape = values_.fact_of(v).shape;
  for (std::uint32_t axis = 0; axis < shape.rank(); ++axis) {
    const auto names = shape[axis].symbols();
    if (names.empty()) continue;
    const auto symbol = symbols_.values().find(names[0]);
    const auto more = (shape[axis] - Dim::symbol(names[0])).constant();
    if (!more || symbol == symbols_.values().end()) {
      axes.resize(before);
      return false;
    }
    axes.push_back({v, axis, &symbol->second, *more});
  }
  return true;
}

/// Whether kernels may rely on all sizes as they are now.
bool FrameSizes::agree() const {
  return std::ranges::all_of(*doubts_, [&](const Doubt& doubt) {
    const Shape& made = shapes_[doubt.step->outputs[0]];
    return (doubt.is_of_empty && product(made) != 0) ||
           agrees(*doubt.step, values_, shapes_, symbols());
  });
}

}  // namespace strata
