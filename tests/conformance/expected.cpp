#include "expected.h"

#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "strata/core/error.h"

namespace strata::conformance {

ExpectedFailures::ExpectedFailures(const std::filesystem::path& path) : wants_strict_(true) {
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
    const bool is_mark = mode == "*" || mode == "?" || mode == "~";
    require((parsed || is_mark) && !reason.empty(), ErrorKind::file, path.filename().string(), ':',
            number, ": a case, a mode and a reason wanted");
    if (mode == "~") {
      rough_[test] = reason;
      continue;
    }
    if (mode == "?") chances_.insert(test);
    for (const Mode each : kModes)
      if (!parsed || each == *parsed) reasons_[{test, each}] = reason;
  }
}

namespace {

/// What is wrong with one result, if anything.
std::optional<std::string> complaint(const std::string& id, Mode mode, const Result& result,
                                     const ExpectedFailures& expected) {
  const auto line = [&](std::string_view word, std::string_view rest) {
    return cat(word, id, ' ', to_string(mode), "  ", rest);
  };
  const bool listed = expected.contains(id, mode), rough = expected.rough().contains(id);
  if (!result.passed) {
    if (listed) return std::nullopt;
    return line("FAILED   ", result.message);
  }
  if (listed && !expected.may_pass(id))
    return line("PASSES   ", "although it is listed as a failure");
  if (listed || !expected.wants_strict() || result.strict != rough) return std::nullopt;
  if (rough) return line("STRICT   ", "although it is listed as not strict");
  return line("ROUGH    ", result.message);
}

}  // namespace

std::vector<std::string> complaints(const std::vector<Outcome>& outcomes,
                                    const ExpectedFailures& expected, Coverage coverage) {
  std::vector<std::string> out;
  std::set<std::string> met;
  for (const Outcome& outcome : outcomes) {
    const std::string id = outcome.test.id();
    met.insert(id);
    for (const auto& [mode, result] : outcome.results)
      if (auto line = complaint(id, mode, result, expected)) out.push_back(std::move(*line));
  }
  if (coverage == Coverage::part) return out;
  std::set<std::string> missing;
  for (const auto& [key, reason] : expected.reasons())
    if (!met.contains(key.first)) missing.insert(key.first);
  for (const auto& [id, reason] : expected.rough())
    if (!met.contains(id)) missing.insert(id);
  for (const std::string& id : missing)
    out.push_back(cat("MISSING  ", id, "  is listed, but is not in the data"));
  return out;
}

}  // namespace strata::conformance
