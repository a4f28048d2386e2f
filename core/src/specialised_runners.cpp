#include "specialised_runners.h"

#include "runner.h"
#include "specialise.h"

namespace strata {
namespace {

std::unique_ptr<Runner> runner_for(const Plan& plan, std::span<const Shape> inputs,
                                   bool is_laid_out) {
  auto model = specialised(plan.model(), inputs, plan.limits());
  if (!model) return nullptr;
  auto runner = laid_out(*std::move(model), inputs, plan.limits());
  return runner && is_laid_out && runner->frame().has_free_bodies() ? nullptr : std::move(runner);
}

}  // namespace

SpecialisedRunners::SpecialisedRunners(const Plan& plan)
    : plan_(&plan), is_allowed_(may_specialise(plan.model(), plan.limits())) {}

SpecialisedRunners::~SpecialisedRunners() = default;
SpecialisedRunners::SpecialisedRunners(SpecialisedRunners&&) noexcept = default;
SpecialisedRunners& SpecialisedRunners::operator=(SpecialisedRunners&&) noexcept = default;

Runner* SpecialisedRunners::find(std::span<const Shape> inputs, bool is_laid_out) {
  if (!is_allowed_) return nullptr;
  return runners_.find(inputs, [&] { return runner_for(*plan_, inputs, is_laid_out); });
}

void SpecialisedRunners::release_memory() {
  runners_.for_each([](Runner& runner) { runner.release_memory(); });
}

}  // namespace strata
