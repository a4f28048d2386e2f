#pragma once

#include <string>
#include <vector>

#include "expected.h"
#include "outcome.h"

namespace strata::conformance {

/// Cases passed of cases run, by group and mode, as a Markdown table; `strict` adds those within
/// 1e-5.
std::string group_table(const std::vector<Outcome>& outcomes);
/// The same by op: a case counts for every op type that occurs in its model.
std::string op_table(const std::vector<Outcome>& outcomes);
/// One line for each case that was not run, after an empty line; nothing when all were.
std::string skipped_lines(const std::vector<Outcome>& outcomes);
/// The page docs/conformance.md. `data` says in words what was run.
std::string report_page(const std::vector<Outcome>& outcomes, const ExpectedFailures& expected,
                        const std::string& data);

}  // namespace strata::conformance
