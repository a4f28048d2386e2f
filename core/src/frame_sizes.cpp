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
    } else if (values.is_dynamic(v) || values.is_dynamic(values[v].root)) {
      dynamic_.push_back(v);  // a view may have a constant size where its root has a symbol
    }
  }
}

bool FrameSizes::match_model(std::span<const Shape> inputs) const {
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

bool FrameSizes::update(std::span<const Shape> inputs) {
  if (symbols_.has_learned()) return false;  // from the shapes before
  symbols_.bind(inputs);
  if (!updates_) updates_ = find_updates();
  for (const auto& [v, axis, symbol, more] : updates_->axes) {
    std::int64_t& size = shapes_[v][axis];
    if (__builtin_add_overflow(*symbol, more, &size) || size < 0) return false;
  }
  for (const std::uint32_t v : dynamic_)
    if (!find_bytes(v)) return false;
  for (const std::uint32_t v : updates_->others)
    if (!find_shape(v, inputs)) return false;
  return std::ranges::all_of(dynamic_, [&](std::uint32_t v) { return is_as_root(v); }) && agree();
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

/// Finds the shape of a value and its bytes. Returns false if they cannot be known.
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

/// Finds the bytes of a value of known shape. Returns false if a tensor may not have so many, which
/// is an error of its node once it is run value by value.
bool FrameSizes::find_bytes(std::uint32_t v) {
  const DatumType dtype = values_.fact_of(v).dtype;
  if (!may_be(dtype, shapes_[v], values_.plan().limits())) return false;
  bytes_[v] = detail::bytes_of(dtype, product(shapes_[v]));
  return true;
}

/// The shape of a value, inferred by the op that makes it from the shapes of its inputs; nothing if
/// it depends on the data. So no formula is needed for two sizes that broadcast, either of which
/// may be 1.
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
    if (!shape && has_untold_size(values_.fact_of(v).shape)) depend_on_data_ = true;
    return shape && symbols_.learn(values_.fact_of(v).shape, *shape) ? shape : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // running it value by value reports what does not fit
  }
}

/// Whether some size has a symbol that no input has told, and so is not just one that cannot be
/// computed for these inputs.
bool FrameSizes::has_untold_size(const ShapeFact& shape) const {
  const auto is_untold = [&](const std::string& symbol) { return !symbols().contains(symbol); };
  return shape.is_open() || std::ranges::any_of(shape.dims(), [&](const Dim& dim) {
           return dim.any_symbol(is_untold);
         });
}

FrameSizes::Updates FrameSizes::find_updates() const {
  Updates updates;
  for (const std::uint32_t v : dynamic_)
    if (!add_axes(v, updates.axes)) updates.others.push_back(v);
  return updates;
}

/// Adds the dynamic axes of a value. Returns false, and adds none, if it is an input, or some size
/// is more than the sum of a symbol and a number.
bool FrameSizes::add_axes(std::uint32_t v, std::vector<DynamicAxis>& axes) const {
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
    return (doubt.only_if_empty && product(made) != 0) ||
           agrees(*doubt.step, values_, shapes_, symbols());
  });
}

}  // namespace strata
