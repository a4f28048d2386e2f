#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cases.h"

namespace strata::conformance {

/// A way of running a model; all must give the same answers.
enum class Mode {
  typed,      ///< core ops as the importer wires them, evaluated by the reference
  declutter,  ///< simplified, evaluated by the reference
  optimise,   ///< lowered to kernels, also with outputs, and inputs, in the caller's memory
  opl,  ///< simplified, written as OPL, read back (and written again to the same bytes), lowered
  constant,  ///< every input but the first turned into a constant before analysis, simplified
};
inline constexpr Mode kModes[] = {Mode::typed, Mode::declutter, Mode::optimise, Mode::opl,
                                  Mode::constant};
inline constexpr std::size_t kModeCount = std::size(kModes);

std::string_view to_string(Mode mode);
std::optional<Mode> parse_mode(std::string_view name);

/// How a case fared in one mode.
struct Result {
  bool passed = false;  ///< within the official tolerance
  bool strict = false;  ///< within a relative tolerance of 1e-5 as well
  double seconds = 0;
  std::string message;  ///< of what failed, or is not within the strict tolerance; one line
};

/// Runs all data sets of a case on so many threads. Never throws; what goes wrong is in the result.
Result run_case(const Case& test, Mode mode, std::size_t threads);

}  // namespace strata::conformance
