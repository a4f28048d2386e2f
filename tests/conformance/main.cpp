#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>

#include "expected.h"
#include "libraries.h"
#include "options.h"
#include "outcome.h"
#include "pool.h"
#include "report.h"
#include "skips.h"
#include "strata/core/error.h"

namespace strata::conformance {
namespace {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

std::vector<Case> chosen_cases(const Options& options) {
  std::vector<Case> cases = find_cases(options.folders);
  std::erase_if(cases, [&](const Case& test) {
    return !options.filters.empty() &&
           std::none_of(
               options.filters.begin(), options.filters.end(),
               [&](const std::string& text) { return test.id().find(text) != std::string::npos; });
  });
  // The light models take longest, and so start first.
  std::stable_partition(cases.begin(), cases.end(),
                        [](const Case& test) { return test.ramp_input; });
  return cases;
}

std::vector<Outcome> run(const std::vector<Case>& cases, const Options& options) {
  std::vector<Outcome> outcomes;
  std::vector<Case> able;
  std::vector<std::size_t> places;
  for (const Case& test : cases) {
    outcomes.push_back({test, {}, reason_to_skip(test)});
    if (!outcomes.back().skipped.empty()) continue;
    places.push_back(outcomes.size() - 1);
    able.push_back(test);
  }
  run_all(able, options.modes, {options.jobs, options.threads, options.timeout},
          [&](std::size_t test, Mode mode, const Result& result) {
            outcomes[places[test]].results[mode] = result;
          });
  return outcomes;
}

bool failed(const Result& result) { return !result.passed; }
bool passed_roughly(const Result& result) { return result.passed && !result.strict; }

std::string lines_of(const std::vector<Outcome>& outcomes, bool (*is_meant)(const Result&)) {
  std::string out;
  for (const Outcome& outcome : outcomes)
    for (const auto& [mode, result] : outcome.results)
      if (is_meant(result))
        out += cat(outcome.test.id(), ' ', to_string(mode), ' ', result.message, '\n');
  return out;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  if (path.empty()) return;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  require(file.good(), ErrorKind::file, "cannot write ", in_quotes(path.string()));
}

int main_with(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Case> cases = chosen_cases(options);
  require(!cases.empty(), ErrorKind::invalid_argument, "no case found");
  if (options.list) {
    for (const Case& test : cases) print(cat(test.id(), '\n'));
    return 0;
  }
  ExpectedFailures expected =
      options.expected.empty() ? ExpectedFailures() : ExpectedFailures(options.expected);
  if (options.modes.size() != kModeCount) expected.forget_strict();
  const std::vector<Outcome> outcomes = run(cases, options);
  const bool full = options.filters.empty() && options.modes.size() == kModeCount;
  print(group_table(outcomes));
  if (options.ops) print(cat('\n', op_table(outcomes)));
  if (options.verbose) print(cat('\n', lines_of(outcomes, failed)));
  write_file(options.failures, lines_of(outcomes, failed));
  write_file(options.strict_failures, lines_of(outcomes, passed_roughly));
  if (!options.report.empty())
    write_file(options.report, report_page(outcomes, expected, options.data));
  const auto wrong = complaints(outcomes, expected, full ? Coverage::full : Coverage::part);
  print(skipped_lines(outcomes));
  if (!wrong.empty()) print("\n");
  for (const std::string& line : wrong) print(line + '\n');
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start)
          .count();
  const auto skipped = std::ranges::count_if(
      outcomes, [](const Outcome& outcome) { return !outcome.skipped.empty(); });
  const std::string skips = skipped == 0 ? "" : cat(skipped, " skipped, ");
  print(cat('\n', cases.size(), " cases, ", skips, wrong.size(), " not as expected, ", seconds,
            " s\n"));
  return wrong.empty() ? 0 : 1;
}

}  // namespace
}  // namespace strata::conformance

int main(int argc, char** argv) {
  using namespace strata;
  cli::provide_libraries();
  try {
    const conformance::Options options = conformance::parse_options(argc, argv);
    if (options.help) {
      std::fputs(conformance::kUsage, stdout);
      return 0;
    }
    return conformance::main_with(options);
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
