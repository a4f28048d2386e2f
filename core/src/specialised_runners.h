#pragma once

#include <span>
#include <vector>

#include "plan.h"
#include "recurring_runners.h"

namespace strata {

/// Runners of a plan whose own frame cannot be laid out, or has no place for its bodies. Each runs
/// the model specialised for input shapes that recur, if that has a better frame.
class SpecialisedRunners {
 public:
  explicit SpecialisedRunners(const Plan& plan);
  ~SpecialisedRunners();
  SpecialisedRunners(SpecialisedRunners&&) noexcept;
  SpecialisedRunners& operator=(SpecialisedRunners&&) noexcept;

  /// The runner for the input shapes of this run, for which the plan's own frame is laid out or not;
  /// null if there is none. Made once the shapes have been the same for some runs in a row.
  Runner* find(std::span<const Shape> inputs, bool is_laid_out);
  /// Takes these shapes for recurring ones, so that `find` makes their runner.
  void expect(std::span<const Shape> inputs) { runners_.expect(inputs); }
  void release_memory();

 private:
  const Plan* plan_;
  RecurringRunners<std::vector<Shape>> runners_;
  bool is_allowed_;
};

}  // namespace strata
