#include "frame_run.h"

#include <cstring>

#include "strata/core/ops/support.h"
#include "strata/core/run_observer.h"

namespace strata {
namespace {

/// Runs an op without a kernel: on tensors that borrow the frame's memory, copying the results.
void eval_step(RunContext& context, FrameStep& step) {
  ValueList in;
  in.reserve(step.inputs.size());
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const TensorView& view = step.inputs[i];
    if (const Value* constant = step.constants[i])
      in.push_back(*constant);
    else
      in.push_back(Tensor::borrowed(view.dtype, view.shape, view.data, nullptr));
  }
  const ValueList out = step.state ? step.state->eval(context, in) : step.node->op.eval(in);
  require(out.size() >= step.outputs.size(), ErrorKind::internal, "eval gives ", out.size(), " of ",
          step.outputs.size(), " outputs");
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    const MutableTensorView& view = step.outputs[i];
    const Tensor& tensor = out[i].tensor();
    check_data(tensor.dtype() == view.dtype && tensor.shape() == view.shape, "output ", i, " is ",
               tensor.dtype(), Span(tensor.shape()), ", the model says ", view.dtype,
               Span(view.shape));
    if (tensor.byte_size() > 0) std::memcpy(view.data, tensor.data(), tensor.byte_size());
  }
}

void run_step(RunContext& context, FrameStep& step) {
  context.poll();
  step.io.workers = context.workers();
  step.io.gain = &step.gain;
  ++step.io.turn;
  switch (step.kind) {
    case FrameStep::Kind::kernel:
      return step.node->op.run(step.io);
    case FrameStep::Kind::state:
      return step.state->run(context, step.io);
    case FrameStep::Kind::eval:
      return eval_step(context, step);
  }
}

/// Runs steps one after the other.
void run_in_turn(RunContext& context, std::span<FrameStep> steps) {
  auto current = steps.begin();
  try {
    for (; current != steps.end(); ++current) run_step(context, *current);
  } catch (Error& error) {
    throw error.in(current->title());
  }
}

void run_observed(RunContext& context, std::span<FrameStep> steps, RunObserver& observer) {
  for (FrameStep& step : steps) {
    observer.begin(*step.node);
    run_in_turn(context, {&step, 1});
    observer.end(*step.node, step.inputs, step.outputs);
  }
}

}  // namespace

void run_steps(RunContext& context, std::span<FrameStep> steps, std::span<const Wavefront> fronts) {
  if (RunObserver* observer = context.observer()) return run_observed(context, steps, *observer);
  std::size_t done = 0;
  for (const Wavefront& front : fronts) {
    if (!context.workers()) break;
    run_in_turn(context, steps.subspan(done, front.first() - done));
    front.run(context, steps,
              [&](RunContext& c, std::size_t step) { run_in_turn(c, steps.subspan(step, 1)); });
    done = front.last() + 1;
  }
  run_in_turn(context, steps.subspan(done));
}

}  // namespace strata
