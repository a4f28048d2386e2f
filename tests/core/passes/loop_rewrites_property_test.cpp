#include <doctest/doctest.h>

#include "support/random_loop.h"

using namespace strata;
using namespace strata::tests;

namespace {

void check_simplified(const TypedModel& typed, const ValueList& inputs, const ValueList& expected,
                      const Limits& limits, RewriteReport& report) {
  TypedModel model = typed;
  report.add(declutter(model, limits));
  check_agree(run_model(model, inputs), expected);
  CHECK(declutter(model, limits).firings.empty());
  optimise(model, {}, limits);
  check_agree(run_model(model, inputs), expected);
}

}  // namespace

TEST_SUITE("loop rewrites") {
  TEST_CASE("random loops give the same before and after, rolled and unrolled") {
    RewriteReport report;
    for (unsigned seed = 0; seed < 150; ++seed) {
      CAPTURE(seed);
      RandomLoop random(seed);
      const TypedModel typed =
          random.model(seed % 2 == 0 ? Dim(kRows) : Dim::symbol("T"), seed % 3 == 0);
      const ValueList inputs = random.inputs();
      const ValueList expected = run_model(typed, inputs);
      check_simplified(typed, inputs, expected, without_unrolling(), report);
      check_simplified(typed, inputs, expected, {}, report);
    }
    for (const std::string rule :
         {"batch_prefix", "batch_suffix", "hoist_common_code", "hoist_invariant_code",
          "if_to_select", "merge_nested_ifs", "remove_unused_loop_values", "scan_by_counter",
          "stack_growing", "unroll_loops"}) {
      CAPTURE(rule);
      CHECK(report.firings.contains(rule));
    }
  }
}
