#pragma once

#include <functional>
#include <string>

namespace strata {

/// Checks a pattern of RE2's syntax. Throws: invalid_model with the matcher's own words. A build
/// without RE2 lets every pattern pass.
void check_pattern(const std::string& pattern);

/// Whether a text as a whole matches a pattern, in time that grows with the text alone.
using TextMatcher = std::function<bool(const std::string& text)>;

/// Compiles a pattern. Throws: as check_pattern; unsupported in a build without RE2.
TextMatcher compiled(const std::string& pattern);

}  // namespace strata
