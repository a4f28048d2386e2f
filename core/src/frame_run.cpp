#include <cstring>

#include "frame_parts.h"
#include "kernel_ops/concat_kernel.h"
#include "strata/core/ops/support.h"
#include "strata/core/run_observer.h"
#include "wavefront.h"

namespace strata {

std::optional<std::size_t> Frame::extended_input(std::size_t result) const {
  for (const FrameStep& step : steps_) {
    const ConcatKernel* concat = step.node->op.as<ConcatKernel>();
    if (!concat) continue;
    const FrameValue& made = values_.root_of(step.scheduled->outputs[0]);
    const FrameValue& first = values_.root_of(step.scheduled->inputs[0]);
    if (made.storage != FrameValue::Storage::result || made.index != result ||
        first.storage != FrameValue::Storage::input)
      continue;
    const Span shape = step.outputs[0].shape;
    if (product(shape.first(normalized_axis(concat->axis, shape.size()))) == 1) return first.index;
  }
  return std::nullopt;
}

void Frame::place(std::byte* memory) {
  memory_ = memory;
  for (const auto& [data, block] : placed_views_) *data = memory + offsets_[block];
  for (FrameStep& step : steps_) step.io.scratch = memory + offsets_[step.block];
}

void Frame::set_input(std::size_t input, const std::byte* data) {
  input_data_[input] = data;
  for (const std::byte** view : input_views_[input]) *view = data;
}

void Frame::set_result(std::size_t result, std::byte* data) {
  result_data_[result] = data;
  for (const std::byte** view : result_views_[result]) *view = data;
}

const std::byte* Frame::output_data(std::size_t output) const {
  const Output& from = outputs_[output];
  switch (from.kind) {
    case Output::Kind::result:
      return result_data_[from.index];
    case Output::Kind::input:
      return input_data_[from.index];
    case Output::Kind::constant:
      return from.constant->tensor().data();
  }
  fail(ErrorKind::internal, "an unknown kind of frame output");
}

/// What one of them throws is thrown again by the next run, unless it can be computed then.
void Frame::read_constants() {
  for (const auto& [data, tensor] : unread_constants_) *data = tensor->data();
  unread_constants_.clear();
}

void Frame::run(RunContext& context) {
  if (!unread_constants_.empty()) read_constants();
  if (RunObserver* observer = context.observer()) return run_observed(context, *observer);
  std::size_t done = 0;
  for (const Wavefront& front : fronts_) {
    if (!context.workers()) break;
    run_steps(context, done, front.first());
    front.run(context, steps_,
              [&](RunContext& c, std::size_t step) { run_steps(c, step, step + 1); });
    done = front.last() + 1;
  }
  run_steps(context, done, steps_.size());
}

void Frame::run_observed(RunContext& context, RunObserver& observer) {
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const FrameStep& step = steps_[s];
    observer.begin(*step.node);
    run_steps(context, s, s + 1);
    observer.end(*step.node, step.inputs, step.outputs);
  }
}

void Frame::run_steps(RunContext& context, std::size_t begin, std::size_t end) {
  std::size_t current = begin;
  try {
    for (; current < end; ++current) run_step(context, steps_[current]);
  } catch (Error& error) {
    throw error.in(steps_[current].title());
  }
}

void Frame::run_step(RunContext& context, FrameStep& step) {
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

/// Runs an op without a kernel on tensors that borrow the memory, and copies what it gives.
void Frame::eval_step(RunContext& context, FrameStep& step) {
  ValueList in;
  in.reserve(step.inputs.size());
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const TensorView& view = step.inputs[i];
    if (const Value* constant = values_[step.scheduled->inputs[i]].constant)
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

}  // namespace strata
