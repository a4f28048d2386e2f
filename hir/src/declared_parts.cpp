#include "declared_parts.h"

#include <map>

#include "strata/core/ops/support.h"

namespace strata::hir {
namespace {

using strata::LoopOutput;

constexpr std::int64_t kUnknown = -1;

/// The sizes of a part, that of the stacked axis among them, as far as they are numbers.
void note(strata::Loop& loop, std::size_t output, const Shape& sizes) {
  LoopOutput& stack = loop.outputs[output];
  const ShapeFact& made = loop.body->output_fact(static_cast<std::size_t>(stack.index)).shape;
  if (made.is_known() && made.rank() != sizes.size()) return;
  const std::size_t stacked_axis = normalized_axis(stack.axis, sizes.size());
  Shape declared = stack.declared;
  declared.resize(sizes.size(), kUnknown);
  bool tells_more = false;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    const bool is_made = made.is_known() && made[axis].is_constant();
    if (axis == stacked_axis || is_made || sizes[axis] == kUnknown) continue;
    declared[axis] = sizes[axis];
    tells_more = true;
  }
  if (tells_more) stack.declared = std::move(declared);
}

std::int64_t number_of(const Dim& dim) { return dim.constant().value_or(kUnknown); }

}  // namespace

void declare_parts(strata::Loop& loop, const InferenceModel& body, std::size_t skipped) {
  std::map<OutletId, const PartialShape*> declared;
  for (const Declaration& each : body.declarations())
    if (each.fact.shape) declared.emplace(each.wire, &*each.fact.shape);
  for (std::size_t k = 0; k < loop.outputs.size(); ++k) {
    if (loop.outputs[k].kind != LoopOutput::Kind::stacked) continue;
    const auto element = declared.find(body.outputs()[k + skipped].outlet);
    if (element == declared.end()) continue;
    Shape sizes;
    for (const auto& dim : *element->second) sizes.push_back(dim ? number_of(*dim) : kUnknown);
    const std::size_t axis = normalized_axis(loop.outputs[k].axis, sizes.size() + 1);
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(axis), kUnknown);
    note(loop, k, sizes);
  }
}

void declare_parts(TypedModel& model, OutletId stack) {
  const auto* loop = model.node(stack.node).op.as<strata::Loop>();
  if (!loop || loop->outputs[stack.slot].kind != LoopOutput::Kind::stacked) return;
  const ShapeFact& known = model.fact(stack).shape;
  if (known.is_open()) return;
  Shape sizes;
  for (const Dim& dim : known.dims()) sizes.push_back(number_of(dim));
  strata::Loop changed = *loop;
  note(changed, stack.slot, sizes);
  if (changed.outputs != loop->outputs) model.set_op(stack.node, std::move(changed));
}

}  // namespace strata::hir
