#include "frame_values.h"

#include <algorithm>

#include "kernel_ops/view_kernel.h"

namespace strata {

using Schedule = Plan::Schedule;
using Storage = FrameValue::Storage;

bool is_placeable(const Fact& fact) {
  return fact.is_tensor() && !fact.shape.is_open() && fact.dtype != DatumType::string &&
         fact.dtype != DatumType::dim;
}

FrameValues::FrameValues(const Plan& plan) : plan_(plan), values_(plan.schedule().values.size()) {
  const Schedule& schedule = plan.schedule();
  for (std::uint32_t v = 0; v < count(); ++v) {
    const Schedule::ValueInfo& info = schedule.values[v];
    values_[v].root = v;
    values_[v].last = info.last_read;
    if (!info.persistent) are_placeable_ = are_placeable_ && is_placeable(fact_of(v));
  }
  for (std::size_t i = 0; i < schedule.inputs.size(); ++i) {
    values_[schedule.inputs[i]].storage = Storage::input;
    values_[schedule.inputs[i]].index = i;
  }
  for (const auto& [v, value] : schedule.constants) {
    values_[v].storage = Storage::constant;
    values_[v].constant = &value;
  }
  for (const Schedule::Step& step : schedule.steps) {
    if (!node_of(step).op.as<ViewKernel>()) continue;
    FrameValue& view = values_[step.outputs[0]];
    view.root = values_[step.inputs[0]].root;
    values_[view.root].last = std::max(values_[view.root].last, view.last);
  }
  for (const std::uint32_t v : schedule.outputs) {
    are_placeable_ = are_placeable_ && is_placeable(fact_of(v));
    FrameValue& root = values_[values_[v].root];
    if (root.storage != Storage::local) continue;
    root.storage = Storage::result;
    root.index = results_++;
  }
}

const Fact& FrameValues::fact_of(std::uint32_t value) const {
  return plan_.model().fact(plan_.schedule().values[value].outlet);
}

}  // namespace strata
