#include "strata/core/session.h"

#include <algorithm>
#include <map>

#include "memory_layout.h"
#include "plan.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

using Schedule = Plan::Schedule;
using SymbolValues = std::map<std::string, std::int64_t, std::less<>>;

/// Whether `value` is what `fact` promises. Allocates nothing for tensors.
bool fits(const Fact& fact, const Value& value) {
  if (!value.is_tensor()) return fact.type() == value.type();
  const Tensor& tensor = value.tensor();
  if (!fact.is_tensor() || tensor.dtype() != fact.dtype) return false;
  if (fact.shape.is_open()) return true;
  if (fact.shape.rank() != tensor.rank()) return false;
  for (std::size_t axis = 0; axis < tensor.rank(); ++axis)
    if (const auto size = fact.shape[axis].constant(); size && *size != tensor.shape()[axis])
      return false;
  return true;
}

std::string description(const Value& value) {
  return value.is_tensor() ? cat(value.tensor().dtype(), Span(value.tensor().shape()))
                           : value.type().to_string();
}

/// The sizes of the symbols that stand alone as dims of graph inputs. Throws: invalid_argument when
/// one symbol would have two sizes.
SymbolValues bind_symbols(const TypedModel& model, Values inputs) {
  SymbolValues bound;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Fact& fact = model.input_fact(i);
    if (!fact.is_tensor() || fact.shape.is_open()) continue;
    for (std::size_t axis = 0; axis < fact.shape.rank(); ++axis) {
      const Dim& dim = fact.shape[axis];
      const auto symbols = dim.symbols();
      if (symbols.size() != 1 || dim != Dim::symbol(symbols[0])) continue;
      const std::int64_t size = inputs[i].tensor().shape()[axis];
      const auto [at, is_new] = bound.emplace(symbols[0], size);
      require(at->second == size, ErrorKind::invalid_argument, "input ",
              in_quotes(model.input_name(i)), " has ", symbols[0], "=", size, " on axis ", axis,
              ", an input before it ", symbols[0], "=", at->second);
    }
  }
  return bound;
}

std::optional<Shape> resolve(const Fact& fact, const SymbolValues& symbols) {
  if (!fact.is_tensor() || fact.shape.is_open()) return std::nullopt;
  Shape shape;
  for (const Dim& dim : fact.shape.dims()) {
    const auto size = dim.evaluate(symbols);
    if (!size || *size < 0) return std::nullopt;
    shape.push_back(*size);
  }
  return shape;
}

/// `value` with its own memory in place of any that lies in an arena.
Value detached(const Value& value) {
  if (value.is_tensor())
    return value.tensor().in_arena() ? Value(MutableTensor::copy_of(value.tensor())) : value;
  if (value.type().kind == ValueType::Kind::optional) {
    Optional optional = value.optional();
    if (optional.value) optional.value = std::make_shared<const Value>(detached(*optional.value));
    return optional;
  }
  Sequence sequence = value.sequence();
  for (Value& item : sequence.items) item = detached(item);
  return sequence;
}

std::size_t bytes_of(DatumType type, const Shape& shape) {
  return (static_cast<std::size_t>(product(shape)) * bit_width(type) + 7) / 8;
}

}  // namespace

RunContext::RunContext(const Limits& limits, CancelToken token)
    : limits_(limits), token_(std::move(token)), iterations_left_(limits.iterations) {
  if (limits.time) deadline_ = std::chrono::steady_clock::now() + *limits.time;
}

void RunContext::poll() const {
  if (token_.cancelled()) fail(ErrorKind::cancelled, "the run was cancelled");
  if (deadline_ && std::chrono::steady_clock::now() > *deadline_)
    fail(ErrorKind::limit,
         cat("the run takes longer than ", std::chrono::duration<double>(*limits_.time).count(),
             " s, the limit time"));
}

void RunContext::count_iteration() {
  if (iterations_left_-- <= 0)
    fail(ErrorKind::limit,
         cat("loops run more than ", limits_.iterations, " iterations, the limit iterations"));
  poll();
}

/// A kernel's memory, laid out for one set of input shapes.
struct BoundKernel {
  std::vector<TensorView> inputs;
  std::vector<MutableTensorView> outputs;
  std::byte* scratch = nullptr;
};

struct Session::State final : StateContext {
  explicit State(std::shared_ptr<const Plan> p) : plan(std::move(p)), schedule(plan->schedule()) {
    values.resize(schedule.values.size());
    for (const auto& [index, value] : schedule.constants) values[index] = value;
    for (const Schedule::Step& step : schedule.steps)
      states.push_back(model().node(step.node).op.state(*this));
    bound.resize(schedule.steps.size());
  }

  const TypedModel& model() const { return plan->model(); }
  const Fact& fact(std::uint32_t value) const {
    return model().fact(schedule.values[value].outlet);
  }
  std::shared_ptr<const Plan> plan_of(const TypedModel& body) override {
    return schedule.bodies.at(&body);
  }

  void take_inputs(Values inputs);
  bool same_shapes(Values inputs) const;
  void bind(Values inputs);
  std::vector<std::optional<Shape>> kernel_shapes(const SymbolValues& symbols) const;
  void place(const std::vector<std::optional<Shape>>& shapes);
  void bind_kernel(std::size_t step, const std::vector<std::optional<Shape>>& shapes);
  void run_kernel(std::size_t step);
  void run_eval(RunContext& context, std::size_t step);
  void run_step(RunContext& context, std::size_t step);
  ValueList results();

  std::shared_ptr<const Plan> plan;
  const Schedule& schedule;
  std::vector<Value> values;
  std::vector<std::unique_ptr<OpState>> states;
  std::vector<std::optional<BoundKernel>> bound;
  std::vector<bool> in_arena;       ///< of each value: kept in the arena from run to run
  std::vector<Shape> bound_shapes;  ///< input shapes the kernels are bound for
  bool is_bound = false;
  std::optional<Arena> arena;
  std::size_t arena_bytes = 0;
  CancelToken token;
};

void Session::State::take_inputs(Values inputs) {
  require(inputs.size() == schedule.inputs.size(), ErrorKind::invalid_argument, "the model takes ",
          schedule.inputs.size(), " inputs, ", inputs.size(), " given");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    require(fits(model().input_fact(i), inputs[i]), ErrorKind::invalid_argument, "input ",
            in_quotes(model().input_name(i)), " is ", model().input_fact(i).without_value(), ", ",
            description(inputs[i]), " given");
    values[schedule.inputs[i]] = inputs[i];
  }
}

bool Session::State::same_shapes(Values inputs) const {
  if (!is_bound) return false;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].is_tensor() && !(inputs[i].tensor().shape() == bound_shapes[i])) return false;
  return true;
}

std::vector<std::optional<Shape>> Session::State::kernel_shapes(const SymbolValues& symbols) const {
  std::vector<std::optional<Shape>> shapes(values.size());
  for (std::uint32_t i = 0; i < values.size(); ++i) shapes[i] = resolve(fact(i), symbols);
  return shapes;
}

void Session::State::bind(Values inputs) {
  SymbolScope scope;  // ops may try fresh dims before they see that all is known
  const FreshSymbols fresh(scope);
  const SymbolValues symbols = bind_symbols(model(), inputs);
  bound_shapes.clear();
  for (const Value& input : inputs)
    bound_shapes.push_back(input.is_tensor() ? input.tensor().shape() : Shape{});
  const auto shapes = kernel_shapes(symbols);
  place(shapes);
  for (std::size_t step = 0; step < schedule.steps.size(); ++step)
    if (bound[step]) bind_kernel(step, shapes);
  is_bound = true;
}

/// Gives each kernel output its place in the arena, and each kernel its scratch memory.
void Session::State::place(const std::vector<std::optional<Shape>>& shapes) {
  std::vector<Lifetime> blocks;
  std::vector<std::optional<std::size_t>> block_of(values.size());
  std::vector<std::size_t> scratch_of(schedule.steps.size());
  in_arena.assign(values.size(), false);
  for (std::size_t s = 0; s < schedule.steps.size(); ++s) {
    const Schedule::Step& step = schedule.steps[s];
    bound[s].reset();
    const auto is_known = [&](std::uint32_t v) { return shapes[v].has_value(); };
    if (!step.kernel || !std::all_of(step.inputs.begin(), step.inputs.end(), is_known) ||
        !std::all_of(step.outputs.begin(), step.outputs.end(), is_known))
      continue;
    bound[s].emplace();
    std::vector<Fact> facts;
    std::vector<const Fact*> pointers;
    for (const std::uint32_t v : step.inputs)
      facts.push_back(Fact::tensor(fact(v).dtype, *shapes[v]));
    for (const Fact& f : facts) pointers.push_back(&f);
    const TypedOp& op = model().node(step.node).op;
    scratch_of[s] = blocks.size();
    blocks.push_back({op.scratch_bytes(Facts(pointers)), s, s});
    for (const std::uint32_t v : step.outputs) {
      const Schedule::ValueInfo& info = schedule.values[v];
      if (info.is_output) continue;
      const std::size_t bytes = bytes_of(fact(v).dtype, *shapes[v]);
      in_arena[v] = true;
      const auto reused = op.in_place_input();
      const std::uint32_t from = reused ? step.inputs[*reused] : 0;
      if (reused && v == step.outputs[0] && block_of[from] &&
          schedule.values[from].last_read == s && blocks[*block_of[from]].bytes >= bytes &&
          std::count(step.inputs.begin(), step.inputs.end(), from) == 1) {
        block_of[v] = block_of[from];
        blocks[*block_of[v]].last = info.last_read;
      } else {
        block_of[v] = blocks.size();
        blocks.push_back({bytes, s, info.last_read});
      }
    }
  }
  const MemoryLayout layout = lay_out(blocks);
  arena.emplace(layout.total);
  arena_bytes = layout.total;
  for (std::uint32_t v = 0; v < values.size(); ++v)
    if (block_of[v])
      values[v] = arena->tensor(layout.offsets[*block_of[v]], fact(v).dtype, *shapes[v]);
  for (std::size_t s = 0; s < schedule.steps.size(); ++s)
    if (bound[s]) bound[s]->scratch = arena->data() + layout.offsets[scratch_of[s]];
}

void Session::State::bind_kernel(std::size_t s, const std::vector<std::optional<Shape>>& shapes) {
  BoundKernel& kernel = *bound[s];
  for (const std::uint32_t v : schedule.steps[s].inputs)
    kernel.inputs.push_back({nullptr, fact(v).dtype, *shapes[v]});
  for (const std::uint32_t v : schedule.steps[s].outputs)
    kernel.outputs.push_back({nullptr, fact(v).dtype, *shapes[v]});
}

void Session::State::run_kernel(std::size_t s) {
  const Schedule::Step& step = schedule.steps[s];
  BoundKernel& kernel = *bound[s];
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const Tensor& tensor = values[step.inputs[i]].tensor();
    TensorView& view = kernel.inputs[i];
    check_data(tensor.dtype() == view.dtype && tensor.shape() == view.shape, "an input is ",
               tensor.dtype(), Span(tensor.shape()), ", the model says ", view.dtype,
               Span(view.shape));
    view.data = tensor.data();
  }
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    const std::uint32_t v = step.outputs[i];
    MutableTensorView& view = kernel.outputs[i];
    if (in_arena[v]) {
      view.data = const_cast<std::byte*>(values[v].tensor().data());  // the arena is ours to write
      continue;
    }
    const Tensor& last = values[v].tensor();
    const bool reusable =
        last.sole_owner() && last.dtype() == view.dtype && last.shape() == view.shape;
    MutableTensor out = reusable ? MutableTensor::take(std::move(values[v]).take_tensor())
                                 : MutableTensor(view.dtype, view.shape);
    view.data = out.data();
    values[v] = std::move(out).freeze();
  }
  model().node(step.node).op.run({kernel.inputs, kernel.outputs, kernel.scratch});
}

void Session::State::run_eval(RunContext& context, std::size_t s) {
  const Schedule::Step& step = schedule.steps[s];
  ValueList in;
  in.reserve(step.inputs.size());
  for (const std::uint32_t v : step.inputs) in.push_back(values[v]);
  for (const std::uint32_t v : step.frees)
    if (!in_arena[v]) values[v] = Value();
  const bool may_alias = std::any_of(
      in.begin(), in.end(), [](const Value& v) { return v.is_tensor() && v.tensor().in_arena(); });
  ValueList out = states[s] ? states[s]->eval(context, in) : model().node(step.node).op.eval(in);
  require(out.size() >= step.outputs.size(), ErrorKind::internal, "eval gives ", out.size(), " of ",
          step.outputs.size(), " outputs");
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    const std::uint32_t v = step.outputs[i];
    check_data(fits(fact(v), out[i]), "output ", i, " is ", description(out[i]),
               ", the model says ", fact(v).without_value());
    values[v] = may_alias ? detached(out[i]) : std::move(out[i]);
  }
}

void Session::State::run_step(RunContext& context, std::size_t s) {
  context.poll();
  const Schedule::Step& step = schedule.steps[s];
  try {
    if (bound[s])
      run_kernel(s);
    else
      run_eval(context, s);
  } catch (Error& error) {
    const TypedNode& node = model().node(step.node);
    throw error.in(cat(node.op.display_name(), ' ', in_quotes(node.name)));
  }
  for (const std::uint32_t v : step.frees)
    if (!in_arena[v]) values[v] = Value();
}

ValueList Session::State::results() {
  ValueList out;
  out.reserve(schedule.outputs.size());
  for (const std::uint32_t v : schedule.outputs) out.push_back(values[v]);
  // Memory of kernels stays with us for the next run; all else is the caller's alone.
  for (const std::uint32_t v : schedule.outputs)
    if (!schedule.values[v].persistent &&
        !(schedule.values[v].from_kernel && bound[schedule.values[v].made_at]))
      values[v] = Value();
  for (const std::uint32_t v : schedule.inputs) values[v] = Value();
  return out;
}

Session::Session(std::shared_ptr<const Plan> plan)
    : state_(std::make_unique<State>(std::move(plan))) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

ValueList Session::run(Values inputs) {
  RunContext context(state_->plan->limits(), state_->token);
  const MemoryScope memory(state_->plan->limits());
  return run(context, inputs);
}

ValueList Session::run(RunContext& context, Values inputs) {
  state_->take_inputs(inputs);
  if (!state_->same_shapes(inputs)) state_->bind(inputs);
  for (std::size_t step = 0; step < state_->schedule.steps.size(); ++step)
    state_->run_step(context, step);
  return state_->results();
}

CancelToken& Session::cancel_token() { return state_->token; }
std::size_t Session::arena_bytes() const { return state_->arena_bytes; }

ValueList run_model(const TypedModel& model, Values inputs, const Limits& limits) {
  return Session(Plan::build(model, limits)).run(inputs);
}

}  // namespace strata
