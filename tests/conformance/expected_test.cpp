#include "expected.h"

#include <doctest/doctest.h>

#include "libraries.h"
#include "report.h"
#include "skips.h"
#include "strata/core/error.h"
#include "support/scratch_folder.h"

using namespace strata;
using namespace strata::conformance;

namespace {

/// The list that a file with this text holds.
ExpectedFailures list_of(const std::string& text) {
  const tests::ScratchFolder folder;
  return ExpectedFailures(folder.write("failures.txt", text));
}

/// The case `node/test_add` as it fared in two modes.
std::vector<Outcome> outcome(bool typed, bool optimised) {
  Outcome out{
      .test = {.group = "node", .name = "test_add", .model = {}, .data = {}, .tolerance = {}},
      .results = {}};
  out.results[Mode::typed] = {.passed = typed, .strict = typed, .seconds = 0, .message = {}};
  out.results[Mode::optimise] = {
      .passed = optimised, .strict = optimised, .seconds = 0, .message = {}};
  return {out};
}

}  // namespace

TEST_SUITE("expected failures") {
  TEST_CASE("a failure that is not listed is complained of") {
    CHECK(complaints(outcome(true, true), {}, Coverage::full).empty());
    CHECK(complaints(outcome(true, false), {}, Coverage::full).size() == 1);
  }

  TEST_CASE("a failure may be listed for one mode or for all") {
    CHECK(complaints(outcome(true, false), list_of("node/test_add optimise why\n"), Coverage::full)
              .empty());
    CHECK(
        complaints(outcome(false, false), list_of("# why\n\nnode/test_add * why\n"), Coverage::full)
            .empty());
  }

  TEST_CASE("a listed case that passes is complained of") {
    CHECK(complaints(outcome(true, true), list_of("node/test_add typed why\n"), Coverage::full)
              .size() == 1);
    CHECK(
        complaints(outcome(true, false), list_of("node/test_add * why\n"), Coverage::full).size() ==
        1);
  }

  TEST_CASE("a case that passes by chance may do either") {
    const ExpectedFailures list = list_of("node/test_add ? why\n");
    CHECK(complaints(outcome(true, false), list, Coverage::full).empty());
    CHECK(complaints(outcome(false, true), list, Coverage::full).empty());
  }

  TEST_CASE("a listed name that is not in the data is complained of when all of it was run") {
    const ExpectedFailures list = list_of("node/test_gone * why\n");
    CHECK(complaints(outcome(true, true), list, Coverage::full).size() == 1);
    CHECK(complaints(outcome(true, true), list, Coverage::part).empty());
  }

  TEST_CASE("a list tells which cases pass, but not strictly, and is held to that") {
    const std::vector<Outcome> strict = outcome(true, true);
    std::vector<Outcome> rough = strict;
    for (auto& [mode, result] : rough[0].results) result.strict = false;
    CHECK(complaints(strict, list_of(""), Coverage::full).empty());
    CHECK(complaints(rough, list_of(""), Coverage::full).size() == 2);
    CHECK(complaints(rough, list_of("node/test_add ~ why\n"), Coverage::full).empty());
    CHECK(complaints(strict, list_of("node/test_add ~ why\n"), Coverage::full).size() == 2);
    CHECK(complaints(strict, list_of("node/test_gone ~ why\n"), Coverage::full).size() == 1);
    CHECK(complaints(outcome(false, false), list_of("node/test_add ~ why\n"), Coverage::full)
              .size() == 2);
  }

  TEST_CASE("a case that was skipped is no failure") {
    Outcome skipped = outcome(true, true)[0];
    skipped.results.clear();
    skipped.skipped = "no codecs";
    CHECK(complaints({skipped}, list_of(""), Coverage::full).empty());
    CHECK(skipped_lines({skipped}) == "\nSKIPPED  node/test_add  no codecs\n");
    CHECK(skipped_lines(outcome(false, false)).empty());
    // Only the total is a second row.
    CHECK(group_table({skipped}).find("node") == std::string::npos);
  }

  TEST_CASE("no case is skipped in a build that has the library it needs") {
    cli::provide_libraries();
    CHECK(lack_of("ImageDecoder").empty() == (STRATA_HAS_IMAGES == 1));
    CHECK(lack_of("RegexFullMatch").empty() == (STRATA_HAS_RE2 == 1));
    CHECK(lack_of("Add").empty());
  }

  TEST_CASE("a line wants a case, a mode and a reason") {
    CHECK_THROWS_WITH_AS(list_of("node/test_add typed\n"),
                         doctest::Contains("a case, a mode and a reason wanted"), Error);
    CHECK_THROWS_WITH_AS(list_of("node/test_add cooked why\n"),
                         doctest::Contains("a case, a mode and a reason wanted"), Error);
  }
}
