#pragma once

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "support/models.h"
#include "support/op_case.h"

/// Models before and after kernels took the place of their ops.
namespace strata::tests {

/// Repeatable floats, uniform in [-1, 1): of so few bits that sums of their products are the same
/// in any order, whichever of them a test gets.
inline Tensor uniform_floats(const Shape& shape) {
  static std::mt19937 random(7);
  std::uniform_int_distribution<int> uniform(-64, 63);
  MutableTensor out(DatumType::f32, shape);
  for (float& x : out.as<float>()) x = static_cast<float>(uniform(random)) / 64;
  return std::move(out).freeze();
}

/// Optimises and checks that the outputs stay as they were. Returns how often `rule` fired.
inline std::size_t optimise_and_compare(TypedModel& model, const ValueList& inputs,
                                        const std::string& rule, double absolute = 1e-7) {
  const ValueList before = run_model(model, inputs);
  const RewriteReport report = optimise(model);
  check_all_close(run_model(model, inputs), before, 1e-5, absolute);
  return firings_of(report, rule);
}

}  // namespace strata::tests
