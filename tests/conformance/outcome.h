#pragma once

#include <map>
#include <string>

#include "modes.h"

namespace strata::conformance {

/// How one case fared in the modes it was run in.
struct Outcome {
  Case test;
  std::map<Mode, Result> results;
  std::string skipped = {};  ///< why it was not run at all; empty when it was

  bool passed() const {
    for (const auto& [mode, result] : results)
      if (!result.passed) return false;
    return true;
  }
};

}  // namespace strata::conformance
