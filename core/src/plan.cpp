#include "plan.h"

#include <algorithm>

#include "specialise.h"

namespace strata {
namespace {

using Schedule = Plan::Schedule;

/// Gives every outlet a place in the list of values.
class Scheduler {
 public:
  explicit Scheduler(const TypedModel& model)
      : model_(model), first_value_(model.nodes().size(), 0) {}

  Schedule run() {
    const auto order = model_.order();
    for (const std::uint32_t id : order) name_values(id);
    for (const std::uint32_t id : order) add_step(id);
    for (const OutletId input : model_.inputs()) out_.inputs.push_back(value_of(input));
    for (const GraphOutput& output : model_.outputs()) {
      out_.outputs.push_back(value_of(output.outlet));
      out_.values[out_.outputs.back()].is_output = true;
    }
    add_frees();
    return std::move(out_);
  }

 private:
  std::uint32_t value_of(OutletId outlet) const { return first_value_[outlet.node] + outlet.slot; }

  void name_values(std::uint32_t id) {
    const TypedNode& node = model_.node(id);
    first_value_[id] = static_cast<std::uint32_t>(out_.values.size());
    for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot)
      out_.values.push_back({.outlet = {id, slot}});
  }

  void add_step(std::uint32_t id) {
    const TypedNode& node = model_.node(id);
    if (node.op.as<Source>()) return;
    if (const Const* constant = node.op.as<Const>()) {
      out_.values[value_of({id, 0})].persistent = true;
      out_.constants.emplace_back(value_of({id, 0}), *constant->value);
      return;
    }
    const auto at = static_cast<std::uint32_t>(out_.steps.size());
    Schedule::Step step{.node = id, .kernel = node.op.has_kernel()};
    for (const OutletId input : node.inputs) {
      step.inputs.push_back(value_of(input));
      out_.values[value_of(input)].last_read = at;
    }
    for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot) {
      auto& value = out_.values[value_of({id, slot})];
      value.made_at = value.last_read = at;
      value.from_kernel = step.kernel;
      step.outputs.push_back(value_of({id, slot}));
    }
    out_.steps.push_back(std::move(step));
  }

  void add_frees() {
    for (std::uint32_t i = 0; i < out_.values.size(); ++i) {
      const auto& value = out_.values[i];
      if (value.persistent || value.is_output || out_.steps.empty()) continue;
      out_.steps[value.last_read].frees.push_back(i);
    }
  }

  const TypedModel& model_;
  std::vector<std::uint32_t> first_value_;
  Schedule out_;
};

}  // namespace

Plan::Plan() = default;
Plan::~Plan() = default;

std::shared_ptr<const Plan> Plan::build(std::shared_ptr<const TypedModel> model,
                                        const Limits& limits) {
  require(model != nullptr, ErrorKind::invalid_argument, "a plan is given no model");
  require(limits.nesting > 0, ErrorKind::limit, "bodies nest deeper than the limit nesting allows");
  std::shared_ptr<Plan> plan(new Plan);
  plan->model_ = std::move(model);
  plan->limits_ = limits;
  Schedule schedule = Scheduler(*plan->model_).run();
  Limits inner = limits;
  --inner.nesting;
  for (const Schedule::Step& step : schedule.steps)
    for (const Body& body : plan->model_->node(step.node).op.bodies())
      if (!schedule.bodies.contains(body.get()))
        schedule.bodies[body.get()] = build(with_sizes_told(body), inner);
  plan->schedule_ = std::make_unique<const Schedule>(std::move(schedule));
  return plan;
}

}  // namespace strata
