#pragma once

#include <optional>
#include <string>

#include "strata/core/value.h"

namespace strata::cli {

/// How far a float may be from what is expected: |actual - expected| <= absolute + relative *
/// |expected|.
struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-7;
};

/// The tolerance of ONNX's own test runner.
inline constexpr Tolerance kOfficialTolerance{1e-3, 1e-7};

/// What is wrong with `actual`, or nothing when it is as expected.
///
/// Kind, element type, shape, length of a sequence and presence of an optional must be equal; so
/// must integers, bools and strings. Floats and complex numbers may differ within the tolerance;
/// NaN equals NaN, infinities only themselves. The text names the element that is furthest out and
/// how many are.
std::optional<std::string> difference(const Value& actual, const Value& expected,
                                      const Tolerance& tolerance = kOfficialTolerance);

}  // namespace strata::cli
