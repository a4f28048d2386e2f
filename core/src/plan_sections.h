#pragma once

#include <memory>
#include <vector>

#include "plan.h"

namespace strata {

/// Steps of a plan, one after another, whose sizes follow from those of what they read: a plan of
/// their own, which can be laid out as a frame once the values before it are there.
struct PlanSection {
  std::size_t first, end;          ///< steps of the whole plan, `end` not among them
  Plan::Schedule::Places inputs;   ///< values of the whole plan, by the inputs of `plan`
  Plan::Schedule::Places outputs;  ///< the same by its outputs
  std::shared_ptr<const Plan> plan;
};

/// The sections of a plan that has no frame as a whole, in order, where they are worth a frame.
/// Between them are the steps that make what only the data tell the size of, or that take or give a
/// sequence, an optional or strings.
std::vector<PlanSection> sections_of(const Plan& plan);

}  // namespace strata
