#pragma once

#include <span>
#include <vector>

#include "plan.h"
#include "recurring_runners.h"

namespace strata {

/// Runners of a plan whose own frame cannot be laid out, each for input shapes that come again and
/// again: of what the model becomes for these (`specialised`), where that can be laid out.
class SpecialisedRunners {
 public:
  explicit SpecialisedRunners(const Plan& plan);
  ~SpecialisedRunners();
  SpecialisedRunners(SpecialisedRunners&&) noexcept;
  SpecialisedRunners& operator=(SpecialisedRunners&&) noexcept;

  /// The runner for inputs of these shapes, which the plan is to run now; null where there is none.
  /// Makes it when the shapes have been those of some runs in a row.
  Runner* find(std::span<const Shape> inputs);
  /// Takes these shapes for such, so that `find` makes their runner.
  void expect(std::span<const Shape> inputs) { runners_.expect(inputs); }
  void release_memory();

 private:
  const Plan* plan_;
  RecurringRunners<std::vector<Shape>> runners_;
  bool is_allowed_;
};

}  // namespace strata
