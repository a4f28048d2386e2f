#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "outcome.h"

namespace strata::conformance {

/// Failures that are known, with their reasons.
///
/// A line of the file is `group/case mode reason…`, or `group/case * reason…` for all modes; `#`
/// begins a comment.
/// `group/case ? reason…` lists a case that passes by chance: either outcome is as expected.
/// `group/case ~ reason…` lists one that passes, but in no mode strictly.
class ExpectedFailures {
 public:
  ExpectedFailures() = default;
  /// Throws: file when it cannot be read or a line is malformed.
  explicit ExpectedFailures(const std::filesystem::path& path);

  bool contains(const std::string& test, Mode mode) const {
    return reasons_.contains({test, mode});
  }
  bool may_pass(const std::string& test) const { return chances_.contains(test); }
  /// Whether cases that are not listed have to pass strictly: with a list, even an empty one.
  bool wants_strict() const { return wants_strict_; }
  /// For runs in some modes only, or with other kernels than the list is for.
  void forget_strict() { wants_strict_ = false; }
  /// Why cases that pass do not pass strictly.
  const std::map<std::string, std::string>& rough() const { return rough_; }
  /// In the order of case and mode.
  const std::map<std::pair<std::string, Mode>, std::string>& reasons() const { return reasons_; }

 private:
  std::map<std::pair<std::string, Mode>, std::string> reasons_;
  std::set<std::string> chances_;
  std::map<std::string, std::string> rough_;
  bool wants_strict_ = false;
};

enum class Coverage { full, part };

/// What makes a run fail: failures that are not listed, listed ones that pass other than by chance,
/// likewise cases that pass, but not strictly, and, when the run covers all of the data, listed
/// names that are not in it. One line each.
std::vector<std::string> complaints(const std::vector<Outcome>& outcomes,
                                    const ExpectedFailures& expected, Coverage coverage);

}  // namespace strata::conformance
