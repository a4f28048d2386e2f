#include "runner.h"

#include <algorithm>

#include "deferred_tensor.h"
#include "ops/body_state.h"
#include "strata/core/ops/support.h"
#include "strata/core/workers.h"

namespace strata {
namespace {

std::vector<std::unique_ptr<OpState>> states_of(const Plan& plan, StateContext& context) {
  std::vector<std::unique_ptr<OpState>> states;
  for (const Plan::Schedule::Step& step : plan.schedule().steps)
    states.push_back(plan.model().node(step.node).op.state(context));
  return states;
}

/// Constants that are still to be computed.
std::vector<const Tensor*> deferred_constants(const Plan& plan) {
  std::vector<const Tensor*> out;
  for (const auto& [index, value] : plan.schedule().constants)
    if (value.is_tensor() && is_deferred(value.tensor())) out.push_back(&value.tensor());
  return out;
}

/// The same, with those of bodies.
std::vector<const Tensor*> all_deferred_constants(const Plan& plan) {
  std::vector<const Tensor*> out = deferred_constants(plan);
  for (const auto& [model, body] : plan.schedule().bodies) {
    const std::vector<const Tensor*> of_body = all_deferred_constants(*body);
    out.insert(out.end(), of_body.begin(), of_body.end());
  }
  return out;
}

}  // namespace

/// Grows by half, if there is memory for that: what has grown will grow again.
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
  note_shapes(inputs);
  const bool is_bound = bind_frame();
  if (may_improve())
    if (Runner* specialised = specialised_for_shapes())
      return specialised->run(context, inputs, memory);
  if (is_bound) return run_frame(context, inputs, memory);
  ValueList out = interpreter().run(context, inputs);
  OutputPlaces(plan_->model(), inputs, memory).take(out);
  return out;
}

void Runner::prepare(Workers* workers, std::span<const Shape> inputs) {
  check_shapes(inputs);
  frame_.use_threads(workers != nullptr);
  const std::vector<const Tensor*> deferred = all_deferred_constants(*plan_);
  const auto compute = [&](std::size_t i) {
    if (i < deferred.size()) (void)deferred[i]->data();
  };
  if (workers)
    workers->run(std::max(deferred.size(), workers->count()), compute);  // starts all threads
  else
    for (std::size_t i = 0; i < deferred.size(); ++i) compute(i);
  shapes_.assign(inputs.begin(), inputs.end());
  const bool is_bound = bind_frame();
  if (!may_improve()) return;
  if (takes_tensors()) specialised().expect(shapes_);
  if (Runner* specialised = specialised_for_shapes())
    specialised->prepare(workers, inputs);
  else if (!is_bound)
    (void)interpreter();
}

void Runner::release_memory() {
  memory_->release();
  last_results_.clear();
  lent_.clear();
  for (const auto& state : states_)
    if (auto* body = dynamic_cast<BodyState*>(state.get())) body->release_memory();
  if (interpreter_) interpreter_->release_memory();
  if (specialised_) specialised_->release_memory();
}

/// Computes deferred constants side by side. Without threads, each is computed when it is first
/// read.
void Runner::compute_constants(Workers& workers) {
  const std::vector<const Tensor*> deferred = deferred_constants(*plan_);
  workers.run(deferred.size(), [&](std::size_t i) { (void)deferred[i]->data(); });
  has_constants_ = true;
}

void Runner::check_count(std::size_t inputs) const {
  const std::size_t taken = plan_->model().inputs().size();
  require(inputs == taken, ErrorKind::invalid_argument, "the model takes ", counted(taken, "input"),
          ", ", inputs, " given");
}

void Runner::check_inputs(Values inputs) const {
  const TypedModel& model = plan_->model();
  check_count(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!fits(model.input_fact(i), inputs[i]))
      fail(ErrorKind::invalid_argument, "input ", in_quotes(model.input_name(i)), " is ",
           model.input_fact(i).without_value(), ", ", description(inputs[i]), " given");
}

void Runner::check_shapes(std::span<const Shape> inputs) const {
  const TypedModel& model = plan_->model();
  check_count(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Fact& fact = model.input_fact(i);
    const bool is_shape =
        std::ranges::all_of(inputs[i], [](std::int64_t size) { return size >= 0; });
    require(!fact.is_tensor() || (is_shape && fits(fact.shape, inputs[i])),
            ErrorKind::invalid_argument, "input ", in_quotes(model.input_name(i)), " is ",
            fact.without_value(), ", the shape ", Span(inputs[i]), " given");
  }
}

void Runner::note_shapes(Values inputs) {
  shapes_.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].is_tensor())
      shapes_[i] = inputs[i].tensor().shape();
    else
      shapes_[i].clear();
}

/// Lays the frame out, unless that was done for these shapes. Returns whether it can run.
bool Runner::bind_frame() {
  if (!frame_.was_bound_for(shapes_)) frame_.bind(shapes_);
  if (!frame_.is_bound()) return false;
  last_results_.resize(frame_.results().size());
  lent_.resize(frame_.results().size());
  std::byte* const memory = frame_memory();
  if (frame_.memory() != memory) frame_.place(memory);
  return true;
}

/// Whether the model specialised for the present shapes may have a better frame: one at all, or one
/// that its bodies have their places in.
bool Runner::may_improve() const {
  if (!frame_.is_bound()) return true;
  const TypedModel& model = plan_->model();
  return frame_.has_free_bodies() && std::ranges::any_of(model.inputs(), [&](OutletId input) {
           return !model.fact(input).shape.concrete();
         });
}

/// Memory for the frame. If there is not enough, the frame is laid out again without room to grow.
std::byte* Runner::frame_memory() {
  try {
    return memory_->reserve(frame_.bytes());
  } catch (const Error&) {
    if (!frame_.bind(shapes_, Frame::Room::none)) throw;
    return memory_->reserve(frame_.bytes());
  }
}

bool Runner::takes_tensors() const {
  const TypedModel& model = plan_->model();
  return std::ranges::all_of(model.inputs(),
                             [&](OutletId input) { return model.fact(input).is_tensor(); });
}

SpecialisedRunners& Runner::specialised() {
  if (!specialised_) specialised_.emplace(*plan_);
  return *specialised_;
}

Runner* Runner::specialised_for_shapes() {
  return takes_tensors() ? specialised().find(shapes_, frame_.is_bound()) : nullptr;
}

Interpreter& Runner::interpreter() {
  if (!interpreter_) interpreter_.emplace(*plan_, states_, frame_.symbols());
  return *interpreter_;
}

/// Memory for a result: that of the last run's, once the caller has released it.
std::byte* Runner::fresh_result(const Frame::Output& output) {
  Result& last = last_results_[output.index];
  const Tensor& kept = last.tensor;
  if (kept.sole_owner() && kept.dtype() == output.dtype && kept.shape() == output.shape)
    return last.data;
  last.tensor = Tensor();  // released before more is allocated
  MutableTensor memory(output.dtype, output.shape);
  last.data = memory.data();
  last.tensor = std::move(memory).freeze();
  return last.data;
}

/// Where a result is computed: in the memory that the caller gives for the output, unless that
/// would overwrite an input. An input that the result merely extends may lie there.
std::byte* Runner::place_of(std::size_t number, const OutputPlaces& places) {
  const Frame::Output& output = frame_.outputs()[number];
  const std::span<std::byte> place = places.find(number, output.dtype, output.bytes);
  if (place.data() == nullptr) return fresh_result(output);
  if (places.spares_inputs(place)) return place.data();
  const auto extended = frame_.extended_input(output.index);
  return extended && places.begins_at_input(place, *extended) ? place.data() : fresh_result(output);
}

/// An output after a run. If it is not in the memory kept for it, it is in the caller's, of which a
/// view is kept.
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
  std::size_t results = 0;  // numbered in the order in which outputs first name them
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (outputs[o].kind == Frame::Output::Kind::result && outputs[o].index == results)
      frame_.set_result(results++, place_of(o, places));
    else
      (void)places.find(o, outputs[o].dtype, outputs[o].bytes);  // throws before the run
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
