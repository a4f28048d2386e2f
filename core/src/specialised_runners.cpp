#include "specialised_runners.h"

#include "runner.h"
#include "specialise.h"

namespace strata {
namespace {

std::unique_ptr<Runner> runner_for(const Plan& plan, std::span<const Shape> inputs) {
  auto model = specialised(plan.model(), inputs, plan.limits());
  if (!model) return nullptr;
  return laid_out(*std::move(model), inputs, plan.limits());
}

}  // namespace

SpecialisedRunners::SpecialisedRunners(const Plan& plan)
    : plan_(&plan), is_allowed_(may_specialise(plan.model(), plan.limits())) {}

SpecialisedRunners::~SpecialisedRunners() = default;
SpecialisedRunners::SpecialisedRunners(SpecialisedRunners&&) noexcept = default;
SpecialisedRunners& SpecialisedRunners::operator=(SpecialisedRunners&&) noexcept = default;

Runner* SpecialisedRunners::find(std::span<const Shape> inputs) {
  if (!is_allowed_) return nullptr;
  return runners_.find(inputs, [&] { return runner_for(*plan_, inputs); });
}

void SpecialisedRunners::release_memory() {
  runners_.for_each([](Runner& runner) { runner.release_memory(); });
}

}  // namespace strata
