#include "runner.h"

#include <algorithm>

#include "deferred_tensor.h"
#include "strata/core/workers.h"

namespace strata {
namespace {

std::vector<std::unique_ptr<OpState>> states_of(const Plan& plan, StateContext& context) {
  std::vector<std::unique_ptr<OpState>> states;
  for (const Plan::Schedule::Step& step : plan.schedule().steps)
    states.push_back(plan.model().node(step.node).op.state(context));
  return states;
}

}  // namespace

/// Half as much again as before where there is memory for that: what has grown will grow again.
std::byte* FrameMemory::reserve(std::size_t bytes) {
  const std::size_t before = block_ ? block_->byte_count : 0;
  if (block_ && before >= bytes) return block_->data;
  block_ = nullptr;
  const std::size_t roomy = std::max(bytes, before + before / 2);
  try {
    block_ = detail::allocate_block(roomy);
  } catch (const Error&) {
    if (roomy == bytes) throw;
    block_ = detail::allocate_block(bytes);
  }
  return block_->data;
}

Runner::Runner(std::shared_ptr<const Plan> plan, std::shared_ptr<FrameMemory> memory)
    : plan_(std::move(plan)),
      states_(states_of(*plan_, *this)),
      frame_(*plan_, states_),
      memory_(std::move(memory)) {}

std::shared_ptr<const Plan> Runner::plan_of(const TypedModel& body) {
  return plan_->schedule().bodies.at(&body);
}

ValueList Runner::run(RunContext& context, Values inputs, OutputMemory memory) {
  check_inputs(inputs);
  frame_.use_threads(context.workers() != nullptr);
  if (context.workers() && !has_constants_) compute_constants(*context.workers());
  if (bind_frame(inputs)) return run_frame(context, inputs, memory);
  if (Runner* specialised = specialised_for(inputs))
    return specialised->run(context, inputs, memory);
  if (!interpreter_) interpreter_.emplace(*plan_, states_, frame_.symbols());
  ValueList out = interpreter_->run(context, inputs);
  OutputPlaces(plan_->model(), inputs, memory).take(out);
  return out;
}

/// Computes deferred constants side by side. Without threads they are computed where they are first
/// read.
void Runner::compute_constants(Workers& workers) {
  std::vector<const Tensor*> deferred;
  for (const auto& [index, value] : plan_->schedule().constants)
    if (value.is_tensor() && is_deferred(value.tensor())) deferred.push_back(&value.tensor());
  workers.run(deferred.size(), [&](std::size_t i) { (void)deferred[i]->data(); });
  has_constants_ = true;
}

void Runner::check_inputs(Values inputs) const {
  const TypedModel& model = plan_->model();
  require(inputs.size() == model.inputs().size(), ErrorKind::invalid_argument, "the model takes ",
          model.inputs().size(), " inputs, ", inputs.size(), " given");
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!fits(model.input_fact(i), inputs[i]))
      fail(ErrorKind::invalid_argument, "input ", in_quotes(model.input_name(i)), " is ",
           model.input_fact(i).without_value(), ", ", description(inputs[i]), " given");
}

/// Lays the frame out when the shapes are not those of the last run. Returns whether it can run.
bool Runner::bind_frame(Values inputs) {
  shapes_.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].is_tensor())
      shapes_[i] = inputs[i].tensor().shape();
    else
      shapes_[i].clear();
  if (!frame_.was_bound_for(shapes_)) frame_.bind(shapes_);
  if (!frame_.is_bound()) return false;
  last_results_.resize(frame_.results().size());
  lent_.resize(frame_.results().size());
  std::byte* const memory = frame_memory();
  if (frame_.memory() != memory) frame_.place(memory);
  return true;
}

/// Memory for the frame as it is or, where there is not so much, without room to grow.
std::byte* Runner::frame_memory() {
  try {
    return memory_->reserve(frame_.bytes());
  } catch (const Error&) {
    if (!frame_.bind(shapes_, Frame::Room::none)) throw;
    return memory_->reserve(frame_.bytes());
  }
}

Runner* Runner::specialised_for(Values inputs) {
  const auto is_tensor = [](const Value& value) { return value.is_tensor(); };
  if (!std::all_of(inputs.begin(), inputs.end(), is_tensor)) return nullptr;
  if (!specialised_) specialised_.emplace(*plan_);
  return specialised_->find(shapes_);
}

/// Memory for a result: that of the last run's, when the caller has let go of it.
std::byte* Runner::fresh_result(const Frame::Output& output) {
  Result& last = last_results_[output.index];
  const Tensor& kept = last.tensor;
  if (kept.sole_owner() && kept.dtype() == output.dtype && kept.shape() == output.shape)
    return last.data;
  last.tensor = Tensor();  // before more is taken
  MutableTensor memory(output.dtype, output.shape);
  last.data = memory.data();
  last.tensor = std::move(memory).freeze();
  return last.data;
}

/// Where a result is computed: in the memory that the caller gives for the output, unless inputs are
/// there that the step which makes it would write over.
std::byte* Runner::place_of(std::size_t number, const OutputPlaces& places) {
  const Frame::Output& output = frame_.outputs()[number];
  const std::span<std::byte> place = places.find(number, output.dtype, output.bytes);
  if (place.data() == nullptr) return fresh_result(output);
  if (places.spares_inputs(place)) return place.data();
  const auto extended = frame_.extended_input(output.index);
  return extended && places.begins_at_input(place, *extended) ? place.data() : fresh_result(output);
}

/// An output after a run. Where the memory kept for it is not where it lies, that is the caller's,
/// of which a view is kept.
const Tensor& Runner::output_at(std::size_t number, Values inputs) {
  using Kind = Frame::Output::Kind;
  const Frame::Output& output = frame_.outputs()[number];
  if (output.kind == Kind::input) return inputs[output.index].tensor();
  if (output.kind == Kind::constant) return output.constant->tensor();
  const std::byte* const data = frame_.output_data(number);
  const Tensor& kept = last_results_[output.index].tensor;
  if (kept.data() == data) return kept;
  Tensor& view = lent_[output.index];
  if (view.data() != data || view.dtype() != output.dtype || view.shape() != output.shape)
    view = Tensor::borrowed(output.dtype, output.shape, data, nullptr);
  return view;
}

ValueList Runner::run_frame(RunContext& context, Values inputs, OutputMemory memory) {
  for (std::size_t i = 0; i < inputs.size(); ++i) frame_.set_input(i, inputs[i].tensor().data());
  const OutputPlaces places(plan_->model(), inputs, memory);
  const auto outputs = frame_.outputs();
  std::size_t results = 0;  // numbered as the outputs first name them
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (outputs[o].kind == Frame::Output::Kind::result && outputs[o].index == results)
      frame_.set_result(results++, place_of(o, places));
    else
      (void)places.find(o, outputs[o].dtype, outputs[o].bytes);  // refused before the run
  frame_.run(context);
  ValueList out;
  out.reserve(outputs.size());
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const Tensor& tensor = output_at(o, inputs);
    if (tensor.shape() == outputs[o].shape)
      out.emplace_back(tensor);
    else
      out.emplace_back(tensor.reshaped(outputs[o].shape));
  }
  places.take(out);
  return out;
}

std::unique_ptr<Runner> laid_out(TypedModel model, std::span<const Shape> inputs,
                                 const Limits& limits) {
  auto runner = std::make_unique<Runner>(Plan::build(std::move(model), limits));
  return runner->frame().bind(inputs) ? std::move(runner) : nullptr;
}

}  // namespace strata
