#include "report.h"

#include <map>
#include <set>

#include "strata/core/text.h"

namespace strata::conformance {
namespace {

struct Count {
  std::size_t run = 0, passed = 0, strict = 0;
  void add(const Result& result) {
    ++run;
    passed += result.passed;
    strict += result.strict;
  }
};

/// Counts by mode, and of cases that pass in all modes.
struct Row {
  std::map<Mode, Count> modes;
  Count all;

  void add(const Outcome& outcome) {
    bool passed = true, strict = true;
    for (const auto& [mode, result] : outcome.results) {
      modes[mode].add(result);
      passed &= result.passed;
      strict &= result.strict;
    }
    all.add({.passed = passed, .strict = strict, .seconds = 0, .message = {}});
  }
};

using Rows = std::map<std::string, Row>;

/// Cells padded so that columns line up in plain text too.
std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths.resize(std::max(widths.size(), row.size()));
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string padding(widths[i] - rows[r][i].size(), ' ');
      out += i == 0 ? cat("| ", rows[r][i], padding) : cat(" | ", padding, rows[r][i]);
    }
    out += " |\n";
    if (r > 0) continue;
    for (std::size_t i = 0; i < widths.size(); ++i)
      out += i == 0 ? cat('|', std::string(widths[i] + 2, '-'))
                    : cat('|', std::string(widths[i] + 1, '-'), ':');
    out += "|\n";
  }
  return out;
}

std::set<Mode> modes_of(const std::vector<Outcome>& outcomes) {
  std::set<Mode> out;
  for (const Outcome& outcome : outcomes)
    for (const auto& [mode, result] : outcome.results) out.insert(mode);
  return out;
}

std::vector<std::string> cells(const std::string& name, const Row& row,
                               const std::set<Mode>& modes) {
  std::vector<std::string> out{name, cat(row.all.run)};
  for (const Mode mode : modes) {
    const auto at = row.modes.find(mode);
    out.push_back(at == row.modes.end() ? "0" : cat(at->second.passed));
  }
  out.push_back(cat(row.all.passed));
  out.push_back(cat(row.all.strict));
  return out;
}

/// Whether it counts: whether it was run.
bool counts(const Outcome& outcome) { return outcome.skipped.empty(); }

std::string rows_table(const std::string& what, const Rows& rows, const std::set<Mode>& modes,
                       const Row* total) {
  std::vector<std::vector<std::string>> lines{{what, "cases"}};
  for (const Mode mode : modes) lines[0].emplace_back(to_string(mode));
  lines[0].push_back("all modes");
  lines[0].push_back("strict");
  for (const auto& [name, row] : rows) lines.push_back(cells(name, row, modes));
  if (total) lines.push_back(cells("total", *total, modes));
  return table(lines);
}

std::string reasons_text(const ExpectedFailures& expected) {
  std::map<std::string, std::map<std::string, std::string>>
      modes_by_test;  // test -> reason -> modes
  for (const auto& [key, reason] : expected.reasons()) {
    std::string& modes = modes_by_test[key.first][reason];
    modes += cat(modes.empty() ? "" : ", ", to_string(key.second));
  }
  std::string out;
  for (const auto& [test, reasons] : modes_by_test)
    for (const auto& [reason, modes] : reasons)
      out += cat("- `", test, "` (", modes, "): ", reason, "\n");
  return out.empty() ? "None.\n" : out;
}

std::string rough_text(const ExpectedFailures& expected) {
  std::string out;
  for (const auto& [test, reason] : expected.rough()) out += cat("- `", test, "`: ", reason, "\n");
  return out.empty() ? "None.\n" : out;
}

std::string skipped_text(const std::vector<Outcome>& outcomes) {
  const std::string lines = skipped_lines(outcomes);
  return lines.empty() ? "" : cat("\n## Skipped\n\n```", lines, "```\n");
}

}  // namespace

std::string group_table(const std::vector<Outcome>& outcomes) {
  Rows rows;
  Row total;
  for (const Outcome& outcome : outcomes) {
    if (!counts(outcome)) continue;
    rows[outcome.test.group].add(outcome);
    total.add(outcome);
  }
  return rows_table("group", rows, modes_of(outcomes), &total);
}

std::string op_table(const std::vector<Outcome>& outcomes) {
  Rows rows;
  for (const Outcome& outcome : outcomes) {
    if (!counts(outcome)) continue;
    for (const std::string& op : op_types(outcome.test.model)) rows[op].add(outcome);
  }
  return rows_table("op", rows, modes_of(outcomes), nullptr);
}

std::string skipped_lines(const std::vector<Outcome>& outcomes) {
  std::string out;
  for (const Outcome& outcome : outcomes)
    if (!counts(outcome)) out += cat("SKIPPED  ", outcome.test.id(), "  ", outcome.skipped, '\n');
  return out.empty() ? out : '\n' + out;
}

std::string report_page(const std::vector<Outcome>& outcomes, const ExpectedFailures& expected,
                        const std::string& data) {
  return cat(
      "# Conformance\n\nWritten by `strata_conformance --report`; not to be edited by "
      "hand.\n\nData: ",
      data,
      ".\n\nEach case runs in five modes, all of which must give the expected outputs:\n\n"
      "- **typed**: core ops as the importer wires them, evaluated by the reference\n"
      "- **declutter**: simplified, evaluated by the reference\n"
      "- **optimise**: simplified and lowered to kernels\n"
      "- **opl**: simplified, written as OPL, read back, written again to the same bytes, lowered\n"
      "- **constant**: every input but the first a constant before analysis, simplified and "
      "lowered\n\n"
      "Element types, shapes, integers, bools and strings must be equal; floats may differ by 1e-7 "
      "+ 1e-3 of the\n"
      "expected value, as in ONNX's own runner (2e-3 for light_densenet121). *Strict* counts the "
      "cases whose\n"
      "floats stay within 1e-7 + 1e-5 in all modes.\n\n## By group\n\n",
      group_table(outcomes), "\n## Expected failures\n\n", reasons_text(expected),
      "\n## Not strict\n\n", rough_text(expected), skipped_text(outcomes),
      "\n## By op\n\nA case counts for every op that occurs in its model.\n\n", op_table(outcomes));
}

}  // namespace strata::conformance
