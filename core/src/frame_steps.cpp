#include "frame_steps.h"

#include <algorithm>

#include "kernel_ops/view_kernel.h"
#include "memory_account.h"

namespace strata {

using Schedule = Plan::Schedule;

namespace {

/// Scratch memory that a kernel needs for inputs of these shapes.
std::size_t scratch_of(const TypedOp& op, std::span<const TensorView> inputs) {
  FactList facts;
  facts.reserve(inputs.size());
  for (const TensorView& in : inputs) facts.push_back(Fact::tensor(in.dtype, in.shape));
  return op.scratch_bytes(GatheredFacts(facts));
}

/// Finds how the step is run, and what scratch memory that needs.
void bind(FrameStep& step) {
  if (step.scheduled->kernel) {
    step.scratch_bytes = scratch_of(step.node->op, step.inputs);
  } else if (const auto bytes =
                 step.state ? step.state->bind(step.inputs, step.outputs) : std::nullopt) {
    step.kind = FrameStep::Kind::state;
    step.scratch_bytes = *bytes;
  } else {
    step.kind = FrameStep::Kind::eval;
  }
}

/// Whether inputs have the shapes for which the scratch memory is known to be enough.
bool were_asked_for(const FrameStep& step) {
  return std::ranges::equal(step.inputs, step.asked_for, {}, &TensorView::shape);
}

/// Scratch memory that a step needs for its inputs as they are now; nothing if that cannot be
/// known. A kernel may need more for shorter axes, since it may then work in another way.
std::optional<std::size_t> scratch_now(FrameStep& step) {
  const bool is_kernel = step.kind == FrameStep::Kind::kernel;
  if (step.kind == FrameStep::Kind::eval ||
      (is_kernel && (!step.node->op.takes_scratch() || were_asked_for(step))))
    return step.scratch_bytes;
  SymbolScope scope;  // ops may try fresh dims before they see that all is known
  const FreshSymbols fresh(scope);
  if (!is_kernel) return step.state->bind(step.inputs, step.outputs);
  const std::size_t bytes = scratch_of(step.node->op, step.inputs);
  if (bytes <= step.scratch_bytes)
    for (std::size_t i = 0; i < step.inputs.size(); ++i) step.asked_for[i] = step.inputs[i].shape;
  return bytes;
}

}  // namespace

std::optional<std::vector<FrameStep>> steps_of(const FrameSizes& sizes,
                                               std::span<const std::unique_ptr<OpState>> states) {
  const FrameValues& values = sizes.values();
  const Plan& plan = values.plan();
  std::vector<FrameStep> steps;
  for (std::size_t s = 0; s < states.size(); ++s) {
    const Schedule::Step& scheduled = plan.schedule().steps[s];
    FrameStep step{.time = s, .scheduled = &scheduled, .node = &values.node_of(scheduled)};
    step.state = states[s].get();
    if (step.node->op.as<ViewKernel>()) continue;
    for (const std::uint32_t v : scheduled.inputs) {
      step.inputs.push_back({nullptr, values.fact_of(v).dtype, sizes.shape_of(v)});
      step.asked_for.push_back(sizes.shape_of(v));
    }
    for (const std::uint32_t v : scheduled.outputs)
      step.outputs.push_back({nullptr, values.fact_of(v).dtype, sizes.shape_of(v)});
    bind(step);
    if (step.kind == FrameStep::Kind::eval)
      for (const std::uint32_t v : scheduled.inputs) step.constants.push_back(values[v].constant);
    const auto scratch = static_cast<std::int64_t>(step.scratch_bytes);
    if (!may_be(DatumType::u8, Shape{scratch}, plan.limits())) return std::nullopt;
    steps.push_back(std::move(step));
  }
  return steps;
}

std::optional<std::size_t> scratch_again(std::span<FrameStep> steps) {
  std::size_t sum = 0;
  for (FrameStep& step : steps) {
    const auto bytes = scratch_now(step);
    if (!bytes || *bytes > step.scratch_bytes) return std::nullopt;
    sum += *bytes;
  }
  return sum;
}

}  // namespace strata
