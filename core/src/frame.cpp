#include "frame.h"

#include <algorithm>
#include <cstring>

#include "kernel_ops/concat_kernel.h"
#include "kernel_ops/view_kernel.h"
#include "memory_layout.h"
#include "shape_binding.h"
#include "strata/core/ops/support.h"

namespace strata {

using Schedule = Plan::Schedule;

/// A value of the schedule. Views of one another share the storage of the first of them, their root.
struct Frame::Slot {
  enum class Storage : std::uint8_t { local, input, constant, result };
  std::uint32_t root = 0;
  Storage storage = Storage::local;  ///< of a root
  std::size_t index = 0;             ///< of the input, the result, or the block of a local root
  const Value* constant = nullptr;
  std::uint32_t first = 0,
                last = 0;  ///< of a root: steps that make it, and read it or a view of it
  Shape shape;
  std::size_t bytes = 0;
  std::size_t capacity = 0;  ///< of a local root: bytes that its block holds
};

struct Frame::Step {
  enum class Kind : std::uint8_t { kernel, state, eval };
  Kind kind = Kind::kernel;
  const Schedule::Step* scheduled = nullptr;
  const TypedNode* node = nullptr;
  OpState* state = nullptr;
  std::vector<TensorView> inputs;
  std::vector<MutableTensorView> outputs;
  std::size_t scratch_bytes = 0;
  std::size_t block = 0;  ///< of the scratch memory
  KernelIo io;
};

namespace {

/// Whether values of this fact can lie in a frame, once their sizes are known.
bool is_placeable(const Fact& fact) {
  return fact.is_tensor() && !fact.shape.is_open() && fact.dtype != DatumType::string &&
         fact.dtype != DatumType::dim;
}

std::size_t bytes_of(DatumType type, const Shape& shape) {
  return (static_cast<std::size_t>(product(shape)) * bit_width(type) + 7) / 8;
}

}  // namespace

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
  using Storage = Slot::Storage;
  for (std::uint32_t v = 0; v < slots_.size(); ++v) {
    const Schedule::ValueInfo& info = schedule_.values[v];
    slots_[v].root = v;
    slots_[v].first = info.made_at;
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
    Slot& view = slots_[step.outputs[0]];
    view.root = slots_[step.inputs[0]].root;
    slots_[view.root].last = std::max(slots_[view.root].last, view.last);
  }
  for (const std::uint32_t v : schedule_.outputs) {
    may_bind_ = may_bind_ && is_placeable(fact_of(v));
    Slot& root = slots_[slots_[v].root];
    if (root.storage != Storage::local) continue;
    root.storage = Storage::result;
    root.index = result_data_.size();
    result_data_.push_back(nullptr);
  }
  result_views_.resize(result_data_.size());
}

bool Frame::was_bound_for(std::span<const Shape> inputs) const {
  return std::equal(inputs.begin(), inputs.end(), bound_for_.begin(), bound_for_.end());
}

bool Frame::bind(std::span<const Shape> inputs) {
  if (!may_bind_) return false;
  if (is_bound_ && bind_again(inputs)) return true;
  const std::vector<Shape> roomy = with_room(inputs);
  return (roomy != bound_for_ && lay_out_for(roomy) && bind_again(inputs)) || lay_out_for(inputs);
}

/// The shapes to lay out for: axes that grew by a little will grow again, and get room to.
std::vector<Shape> Frame::with_room(std::span<const Shape> inputs) const {
  std::vector<Shape> roomy(inputs.begin(), inputs.end());
  constexpr std::int64_t kLittle = 16, kLeast = 64;
  for (std::size_t i = 0; i < bound_for_.size(); ++i) {
    for (std::size_t axis = 0; axis < roomy[i].size() && axis < bound_for_[i].size(); ++axis) {
      std::int64_t& size = roomy[i][axis];
      const std::int64_t growth = size - bound_for_[i][axis];
      if (growth > 0 && growth <= std::max(size / 8, kLittle)) size = std::max(2 * size, kLeast);
    }
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
  if (!find_shapes(inputs)) return false;
  add_steps();
  lay_out();
  connect();
  name_outputs();
  return is_bound_ = true;
}

bool Frame::find_shapes(std::span<const Shape> inputs) {
  symbols_.bind(inputs);
  moving_.clear();
  for (std::uint32_t v = 0; v < slots_.size(); ++v) {
    Slot& slot = slots_[v];
    if (slot.constant) {
      if (!slot.constant->is_tensor()) continue;
      slot.shape = slot.constant->tensor().shape();
      slot.bytes = slot.constant->tensor().byte_size();
      continue;
    }
    if (!fact_of(v).shape.concrete()) moving_.push_back(v);
    if (!find_shape(v, inputs)) return false;
  }
  return true;
}

/// Whether the shape of a value is known, and as large as what it is a view of.
bool Frame::find_shape(std::uint32_t v, std::span<const Shape> inputs) {
  Slot& slot = slots_[v];
  if (slot.storage == Slot::Storage::input && slot.root == v) {
    slot.shape = inputs[slot.index];
  } else {
    auto shape = resolved(fact_of(v).shape, symbols_.values());
    if (!shape) return false;
    slot.shape = *std::move(shape);
  }
  slot.bytes = bytes_of(fact_of(v).dtype, slot.shape);
  return slot.root == v || slot.bytes == slots_[slot.root].bytes;
}

/// Keeps steps and places, and gives the values whose sizes depend on the inputs their new ones.
/// Returns false when they do not fit into their places.
bool Frame::bind_again(std::span<const Shape> inputs) {
  is_bound_ = false;
  symbols_.bind(inputs);
  for (const std::uint32_t v : moving_) {
    if (!find_shape(v, inputs)) return false;
    const Slot& slot = slots_[v];
    if (slot.root == v && slot.storage == Slot::Storage::local && slot.bytes > slot.capacity)
      return false;
  }
  for (const auto& [shape, v] : shapes_) *shape = slots_[v].shape;
  for (const auto& [a, b] : shared_)
    if (slots_[a].bytes != slots_[b].bytes) return false;
  for (Step& step : steps_) {
    if (step.kind != Step::Kind::state) continue;
    const auto bytes = step.state->bind(step.inputs, step.outputs);
    if (!bytes || *bytes > step.scratch_bytes) return false;
  }
  name_outputs();
  bound_for_.assign(inputs.begin(), inputs.end());
  return is_bound_ = true;
}

/// The steps that are left once views are no work.
void Frame::add_steps() {
  steps_.clear();
  for (std::size_t s = 0; s < schedule_.steps.size(); ++s) {
    const Schedule::Step& scheduled = schedule_.steps[s];
    Step step;
    step.scheduled = &scheduled;
    step.node = &plan_.model().node(scheduled.node);
    step.state = states_[s].get();
    if (step.node->op.as<ViewKernel>()) continue;
    std::vector<Fact> facts;
    for (const std::uint32_t v : scheduled.inputs) {
      step.inputs.push_back({nullptr, fact_of(v).dtype, slots_[v].shape});
      facts.push_back(Fact::tensor(fact_of(v).dtype, slots_[v].shape));
    }
    for (const std::uint32_t v : scheduled.outputs)
      step.outputs.push_back({nullptr, fact_of(v).dtype, slots_[v].shape});
    if (scheduled.kernel) {
      std::vector<const Fact*> pointers;
      for (const Fact& fact : facts) pointers.push_back(&fact);
      step.scratch_bytes = step.node->op.scratch_bytes(Facts(pointers));
    } else if (const auto bytes =
                   step.state ? step.state->bind(step.inputs, step.outputs) : std::nullopt) {
      step.kind = Step::Kind::state;
      step.scratch_bytes = *bytes;
    } else {
      step.kind = Step::Kind::eval;
    }
    steps_.push_back(std::move(step));
  }
}

/// Gives each value made on the way, and each step's scratch memory, its place in the block.
void Frame::lay_out() {
  using Storage = Slot::Storage;
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  for (std::uint32_t v = 0; v < slots_.size(); ++v)
    if (slots_[v].storage == Storage::local) slots_[v].index = kNone;
  shared_.clear();
  std::vector<Lifetime> blocks;
  for (Step& step : steps_) {
    const auto at = static_cast<std::size_t>(step.scheduled - schedule_.steps.data());
    step.block = blocks.size();
    blocks.push_back({step.scratch_bytes, at, at});
    for (const std::uint32_t v : step.scheduled->outputs) {
      Slot& slot = slots_[v];
      if (slot.storage != Storage::local) continue;
      const auto reused =
          step.kind == Step::Kind::kernel ? step.node->op.in_place_input() : std::nullopt;
      const std::vector<std::uint32_t>& reads = step.scheduled->inputs;
      const Slot* from = reused ? &slots_[slots_[reads[*reused]].root] : nullptr;
      const auto is_other_read = [&](std::uint32_t read) {
        return &slots_[slots_[read].root] == from;
      };
      if (from && v == step.scheduled->outputs[0] && from->storage == Storage::local &&
          from->last == at && from->bytes == slot.bytes &&
          std::count_if(reads.begin(), reads.end(), is_other_read) == 1) {
        shared_.emplace_back(v, slots_[reads[*reused]].root);
        slot.index = from->index;
        slot.capacity = from->capacity;
        blocks[slot.index].last = slot.last;
      } else {
        slot.index = blocks.size();
        blocks.push_back({slot.bytes, at, slot.last});
        slot.capacity = slot.bytes;
      }
    }
  }
  const MemoryLayout layout = strata::lay_out(blocks);
  bytes_ = layout.total;
  for (Step& step : steps_) step.block = layout.offsets[step.block];
  for (Slot& slot : slots_)
    if (slot.storage == Storage::local && slot.index != kNone)
      slot.index = layout.offsets[slot.index];
}

/// Notes which views follow which storage, and sets those whose address is known.
void Frame::connect() {
  for (auto& views : input_views_) views.clear();
  for (auto& views : result_views_) views.clear();
  shapes_.clear();
  placed_views_.clear();
  const auto connect_view = [&](auto& view, std::uint32_t v) {
    if (!fact_of(v).shape.concrete()) shapes_.emplace_back(&view.shape, v);
    const auto data = const_cast<const std::byte**>(&view.data);
    const Slot& root = slots_[slots_[v].root];
    switch (root.storage) {
      case Slot::Storage::input:
        input_views_[root.index].push_back(data);
        break;
      case Slot::Storage::result:
        result_views_[root.index].push_back(data);
        break;
      case Slot::Storage::local:
        placed_views_.emplace_back(data, root.index);
        break;
      case Slot::Storage::constant:
        if (root.constant->is_tensor()) *data = root.constant->tensor().data();
        break;
    }
  };
  for (Step& step : steps_) {
    for (std::size_t i = 0; i < step.inputs.size(); ++i)
      connect_view(step.inputs[i], step.scheduled->inputs[i]);
    for (std::size_t i = 0; i < step.outputs.size(); ++i)
      connect_view(step.outputs[i], step.scheduled->outputs[i]);
    step.io.inputs = step.inputs;
    step.io.outputs = step.outputs;
  }
  for (std::size_t i = 0; i < input_data_.size(); ++i) set_input(i, input_data_[i]);
  for (std::size_t r = 0; r < result_data_.size(); ++r) set_result(r, result_data_[r]);
}

void Frame::name_outputs() {
  outputs_.resize(schedule_.outputs.size());
  result_bytes_.assign(result_data_.size(), 0);
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    const std::uint32_t v = schedule_.outputs[o];
    const Slot& root = slots_[slots_[v].root];
    Output& output = outputs_[o];
    output.index = root.index;
    output.dtype = fact_of(v).dtype;
    output.shape = slots_[v].shape;
    output.bytes = slots_[v].bytes;
    if (root.storage == Slot::Storage::input) output.kind = Output::Kind::input;
    if (root.storage == Slot::Storage::result) result_bytes_[root.index] = root.bytes;
    if (root.storage == Slot::Storage::constant) {
      output.kind = Output::Kind::constant;
      output.constant = root.constant;
    }
  }
}

std::optional<std::size_t> Frame::extended_input(std::size_t result) const {
  for (const Step& step : steps_) {
    const ConcatKernel* concat = step.node->op.as<ConcatKernel>();
    if (!concat) continue;
    const Slot& made = slots_[slots_[step.scheduled->outputs[0]].root];
    const Slot& first = slots_[slots_[step.scheduled->inputs[0]].root];
    if (made.storage != Slot::Storage::result || made.index != result ||
        first.storage != Slot::Storage::input)
      continue;
    const Span shape = step.outputs[0].shape;
    if (product(shape.first(normalized_axis(concat->axis, shape.size()))) == 1) return first.index;
  }
  return std::nullopt;
}

void Frame::place(std::byte* memory) {
  memory_ = memory;
  for (const auto& [data, offset] : placed_views_) *data = memory + offset;
  for (Step& step : steps_) step.io.scratch = memory + step.block;
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

void Frame::run(RunContext& context) {
  const Step* current = nullptr;
  try {
    for (Step& step : steps_) {
      current = &step;
      run_step(context, step);
    }
  } catch (Error& error) {
    throw error.in(cat(current->node->op.display_name(), ' ', in_quotes(current->node->name)));
  }
}

void Frame::run_step(RunContext& context, Step& step) {
  context.poll();
  step.io.workers = context.workers();
  switch (step.kind) {
    case Step::Kind::kernel:
      return step.node->op.run(step.io);
    case Step::Kind::state:
      return step.state->run(context, step.io);
    case Step::Kind::eval:
      return eval_step(context, step);
  }
}

/// Runs an op without a kernel on tensors that borrow the memory, and copies what it gives.
void Frame::eval_step(RunContext& context, Step& step) {
  ValueList in;
  in.reserve(step.inputs.size());
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const TensorView& view = step.inputs[i];
    if (const Value* constant = slots_[step.scheduled->inputs[i]].constant)
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
