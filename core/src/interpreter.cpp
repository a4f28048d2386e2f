#include "interpreter.h"

#include "node_title.h"
#include "plan_sections.h"
#include "runner.h"
#include "shape_binding.h"
#include "specialise.h"
#include "strata/core/ops/support.h"
#include "strata/core/run_observer.h"

namespace strata {
namespace {

/// Types and shapes of values, for an observer. A value other than a tensor shows as an empty one.
template <class View>
std::vector<View> views_of(Values values) {
  std::vector<View> out;
  for (const Value& value : values) {
    out.push_back({nullptr, DatumType::f32, Shape{0}});
    if (!value.is_tensor()) continue;
    out.back().dtype = value.tensor().dtype();
    out.back().shape = value.tensor().shape();
  }
  return out;
}

}  // namespace

bool fits(const Fact& fact, const Value& value) {
  if (!value.is_tensor()) return fact.type() == value.type();
  const Tensor& tensor = value.tensor();
  if (!fact.is_tensor() || tensor.dtype() != fact.dtype) return false;
  return fits(fact.shape, tensor.shape());
}

std::optional<std::string> misfit_within(const Fact& fact, const Value& value) {
  if (value.is_tensor()) return std::nullopt;
  const auto misfit = [&](const Value& held, auto name) -> std::optional<std::string> {
    if (!fits(*fact.element, held)) return cat(name, " is ", description(held));
    return misfit_within(*fact.element, held);
  };
  if (fact.kind == ValueType::Kind::optional) {
    const auto& held = value.optional().value;
    return held ? misfit(*held, "what it holds") : std::nullopt;
  }
  const SequenceItems& items = value.sequence().items;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (auto found = misfit(items[i], [&] { return cat("item ", i); })) return found;
  return std::nullopt;
}

std::string description(const Value& value) {
  return value.is_tensor() ? cat(value.tensor().dtype(), Span(value.tensor().shape()))
                           : value.type().to_string();
}

struct Interpreter::Section {
  PlanSection steps;
  std::unique_ptr<Runner> runner;
};

Interpreter::Interpreter(const Plan& plan, std::span<const std::unique_ptr<OpState>> states,
                         const SymbolValues& symbols)
    : plan_(plan),
      schedule_(plan.schedule()),
      states_(states),
      symbols_(symbols),
      values_(schedule_.values.size()) {
  for (const auto& [index, value] : schedule_.constants) values_[index] = value;
  const auto memory = std::make_shared<FrameMemory>();
  for (PlanSection& section : sections_of(plan)) {
    auto runner = std::make_unique<Runner>(section.plan, memory);
    sections_.push_back({std::move(section), std::move(runner)});
  }
  if (!may_specialise(plan.model(), plan.limits())) return;
  for (std::size_t s = 0; s < schedule_.steps.size(); ++s)
    if (const Plan::Schedule::Step& step = schedule_.steps[s];
        !states_[s] && !step.kernel && step.inputs.size() > 1)
      known_operands_.try_emplace(s, plan.model().node(step.node), plan);
}

Interpreter::~Interpreter() = default;

ValueList Interpreter::run(RunContext& context, Values inputs) {
  try {
    return run_steps(context, inputs);
  } catch (...) {
    for (std::size_t v = 0; v < values_.size(); ++v)
      if (!schedule_.values[v].persistent) values_[v] = Value();
    throw;
  }
}

void Interpreter::release_memory() {
  for (Section& section : sections_) section.runner->release_memory();
  for (auto& [step, operands] : known_operands_) operands.release_memory();
}

ValueList Interpreter::run_steps(RunContext& context, Values inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) values_[schedule_.inputs[i]] = inputs[i];
  auto section = sections_.begin();
  for (std::size_t step = 0; step < schedule_.steps.size();) {
    if (section != sections_.end() && section->steps.first == step) {
      run_section(context, *section);
      step = section++->steps.end;
    } else {
      run_step(context, step++);
    }
  }
  return results();
}

void Interpreter::run_section(RunContext& context, Section& section) {
  const PlanSection& steps = section.steps;
  ValueList in;
  in.reserve(steps.inputs.size());
  for (const std::uint32_t v : steps.inputs) in.push_back(values_[v]);
  ValueList out = section.runner->run(context, in);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint32_t v = steps.outputs[i];
    try {
      check_made(v, out[i]);  // the section knows the symbols of its own inputs only
    } catch (Error& error) {
      throw error.in(title_of(plan_.model().node(schedule_.values[v].outlet.node)));
    }
    values_[v] = std::move(out[i]);
  }
  for (const std::uint32_t v : steps.frees) values_[v] = Value();
}

void Interpreter::run_step(RunContext& context, std::size_t step) {
  try {
    compute(context, step);
  } catch (Error& error) {
    throw error.in(title_of(plan_.model().node(schedule_.steps[step].node)));
  }
}

void Interpreter::compute(RunContext& context, std::size_t s) {
  context.poll();
  const Plan::Schedule::Step& step = schedule_.steps[s];
  ValueList in;
  in.reserve(step.inputs.size());
  for (const std::uint32_t v : step.inputs) in.push_back(values_[v]);
  for (const std::uint32_t v : step.frees) values_[v] = Value();
  ValueList out = outputs_of(context, s, in);
  require(out.size() >= step.outputs.size(), ErrorKind::internal, "eval gives ", out.size(), " of ",
          step.outputs.size(), " outputs");
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    const std::uint32_t v = step.outputs[i];
    const Plan::Schedule::ValueInfo& made = schedule_.values[v];
    check_made(v, out[i]);
    if (made.is_output || made.last_read > s) values_[v] = std::move(out[i]);
  }
}

/// Inputs of unexpected sizes need not be an error of the op, as where it broadcasts, and yet make
/// something other than the model says.
void Interpreter::check_made(std::uint32_t v, const Value& value) const {
  const OutletId& outlet = schedule_.values[v].outlet;
  const Fact& fact = plan_.model().fact(outlet);
  if (fits(fact, value) &&
      (!value.is_tensor() || fits(fact.shape, value.tensor().shape(), symbols_)))
    return;
  Fact said = fact.without_value();
  said.shape = sized(fact.shape, symbols_);
  fail(ErrorKind::run_time, "output ", outlet.slot, " is ", description(value), ", the model says ",
       said);
}

ValueList Interpreter::outputs_of(RunContext& context, std::size_t s, Values in) {
  const TypedNode& node = plan_.model().node(schedule_.steps[s].node);
  RunObserver* observer = context.observer();
  if (observer) observer->begin(node);
  ValueList out = computed(context, s, in);
  if (observer) observer->end(node, views_of<TensorView>(in), views_of<MutableTensorView>(out));
  return out;
}

ValueList Interpreter::computed(RunContext& context, std::size_t s, Values in) {
  if (states_[s]) return states_[s]->eval(context, in);
  if (const auto known = known_operands_.find(s); known != known_operands_.end())
    if (auto out = known->second.run(context, in)) return *std::move(out);
  return plan_.model().node(schedule_.steps[s].node).op.eval(in);
}

ValueList Interpreter::results() {
  ValueList out;
  out.reserve(schedule_.outputs.size());
  for (const std::uint32_t v : schedule_.outputs) out.push_back(values_[v]);
  for (const std::uint32_t v : schedule_.outputs)
    if (!schedule_.values[v].persistent) values_[v] = Value();
  for (const std::uint32_t v : schedule_.inputs) values_[v] = Value();
  return out;
}

}  // namespace strata
