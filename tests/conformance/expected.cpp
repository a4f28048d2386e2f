#include "expected.h"

#include <fstream>
#include <set>
#include <sstream>

#include "strata/core/error.h"

namespace strata::conformance {

ExpectedFailures::ExpectedFailures(const std::filesystem::path& path) {
  std::ifstream file(path);
  require(file.good(), ErrorKind::file, "cannot read ", in_quotes(path.string()));
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string test, mode, reason;
    words >> test >> mode >> std::ws;
    std::getline(words, reason);
    const auto parsed = parse_mode(mode);
    require((parsed || mode == "*" || mode == "?") && !reason.empty(), ErrorKind::file,
            path.filename().string(), ':', number, ": a case, a mode and a reason wanted");
    if (mode == "?") chances_.insert(test);
    for (const Mode each : kModes)
      if (!parsed || each == *parsed) reasons_[{test, each}] = reason;
  }
}

std::vector<std::string> complaints(const std::vector<Outcome>& outcomes,
                                    const ExpectedFailures& expected, Coverage coverage) {
  std::vector<std::string> out;
  std::set<std::string> met;
  for (const Outcome& outcome : outcomes) {
    const std::string id = outcome.test.id();
    met.insert(id);
    for (const auto& [mode, result] : outcome.results) {
      const bool listed = expected.contains(id, mode);
      if (!result.passed && !listed)
        out.push_back(cat("FAILED   ", id, ' ', to_string(mode), "  ", result.message));
      if (result.passed && listed && !expected.may_pass(id))
        out.push_back(
            cat("PASSES   ", id, ' ', to_string(mode), "  although it is listed as a failure"));
    }
  }
  if (coverage == Coverage::part) return out;
  std::set<std::string> missing;
  for (const auto& [key, reason] : expected.reasons())
    if (!met.contains(key.first)) missing.insert(key.first);
  for (const std::string& id : missing)
    out.push_back(cat("MISSING  ", id, "  is listed as a failure, but is not in the data"));
  return out;
}

}  // namespace strata::conformance
