#pragma once

#include <string>
#include <string_view>

#include "cases.h"

namespace strata::conformance {

/// Why this build cannot run an op, in its own words: the op is tried. Empty when it can.
std::string lack_of(std::string_view op_type);

/// Why this build cannot run a case; empty when it can.
std::string reason_to_skip(const Case& test);

}  // namespace strata::conformance
