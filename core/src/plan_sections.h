#pragma once

#include <memory>
#include <vector>

#include "plan.h"

namespace strata {

/// Consecutive steps of a plan whose sizes follow from those of the values they read. They are a
/// plan of their own, which can be laid out as a frame once these values are there.
struct PlanSection {
  std::size_t first, end;          ///< steps of the whole plan, `end` not among them
  Plan::Schedule::Places inputs;   ///< values of the whole plan, by the inputs of `plan`
  Plan::Schedule::Places outputs;  ///< the same by its outputs
  Plan::Schedule::Places frees;    ///< inputs that nobody reads after it
  std::shared_ptr<const Plan> plan;
};

/// The sections of a plan that has no frame as a whole, in order, as far as they are worth a frame.
/// Between them are the steps whose sizes depend on the data, and those that read or make a
/// sequence, an optional or strings.
std::vector<PlanSection> sections_of(const Plan& plan);

}  // namespace strata
