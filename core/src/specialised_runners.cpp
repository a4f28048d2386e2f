#include "specialised_runners.h"

#include <algorithm>

#include "runner.h"
#include "specialise.h"

namespace strata {
namespace {

constexpr int kRunsBefore = 2;          ///< for the same shapes, before they are worth the time
constexpr std::size_t kMostShapes = 4;  ///< each takes memory for kernels' constants

std::unique_ptr<Runner> runner_for(const Plan& plan, std::span<const Shape> inputs) {
  auto model = specialised(plan.model(), inputs, plan.limits());
  if (!model) return nullptr;
  auto runner = std::make_unique<Runner>(Plan::build(*std::move(model), plan.limits()));
  return runner->frame().bind(inputs) ? std::move(runner) : nullptr;
}

}  // namespace

SpecialisedRunners::SpecialisedRunners(const Plan& plan)
    : plan_(&plan), is_allowed_(may_specialise(plan.model(), plan.limits())) {}

SpecialisedRunners::~SpecialisedRunners() = default;
SpecialisedRunners::SpecialisedRunners(SpecialisedRunners&&) noexcept = default;
SpecialisedRunners& SpecialisedRunners::operator=(SpecialisedRunners&&) noexcept = default;

Runner* SpecialisedRunners::find(std::span<const Shape> inputs) {
  if (!is_allowed_) return nullptr;
  for (const Entry& entry : entries_)
    if (std::equal(inputs.begin(), inputs.end(), entry.inputs.begin(), entry.inputs.end()))
      return entry.runner.get();
  if (entries_.size() == kMostShapes) return nullptr;
  if (!std::equal(inputs.begin(), inputs.end(), last_.begin(), last_.end())) {
    last_.assign(inputs.begin(), inputs.end());
    runs_ = 0;
  }
  if (runs_++ < kRunsBefore) return nullptr;
  entries_.push_back({last_, runner_for(*plan_, inputs)});
  return entries_.back().runner.get();
}

}  // namespace strata
