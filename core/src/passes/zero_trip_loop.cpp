#include "ops/loop_values.h"
#include "passes/loop_edit.h"
#include "passes/passes.h"
#include "strata/core/ops/loop.h"

namespace strata {
namespace {

bool begins_false(const NodeView& node, const Loop& loop) {
  if (!loop.condition) return false;
  const std::size_t entry = loop.carried()[static_cast<std::size_t>(*loop.condition)];
  return node.input_fact(entry + loop.has_trip_count).truth() == false;
}

/// The shape of a stack of no parts; nothing if a run may know more of it.
std::optional<Shape> empty_stack(const Loop& loop, const LoopOutput& output) {
  const Fact& part = loop.body->output_fact(static_cast<std::size_t>(output.index));
  if (!part.is_tensor()) return std::nullopt;
  if (part.shape.is_open()) return empty_open_stack(output);
  std::optional<Shape> shape = part.shape.concrete();
  if (shape) (*shape)[normalized_axis(output.axis, shape->size())] = 0;
  return shape;
}

}  // namespace

/// Loop of no trips(x) -> x for last values, an empty tensor for stacks
Rewrite zero_trip_loop(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop) return no_change;
  if (!begins_false(node, *loop) && trips_of(node, *loop) != Dim(0)) return no_change;
  const auto carried = loop->carried();
  Patch patch(node);
  for (std::size_t i = 0; i < loop->outputs.size(); ++i) {
    const LoopOutput& output = loop->outputs[i];
    if (output.kind == LoopOutput::Kind::last) {
      const std::size_t entry = carried[static_cast<std::size_t>(output.index)];
      patch.shunt(node.output(i), node.input(entry + loop->has_trip_count));
      continue;
    }
    const auto shape = empty_stack(*loop, output);
    if (!shape) return no_change;
    const DatumType type = node.output_fact(i).dtype;
    patch.shunt(node.output(i),
                patch.constant(cat("empty", i), MutableTensor::zeros(type, *shape).freeze()));
  }
  return patch;
}

}  // namespace strata
