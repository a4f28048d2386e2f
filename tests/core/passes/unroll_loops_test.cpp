#include <doctest/doctest.h>

#include "support/models.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("unroll loops") {
  TEST_CASE("a loop of three trips becomes three additions and a concatenation") {
    for (const auto& [scanned, stacked] :
         {std::pair{kScanned, kStacked}, std::pair{kScannedBackward, kStackedBackward}}) {
      TypedModel model = running_sum_model(Shape{3}, scanned, stacked);
      const ValueList inputs{floats({10}), floats({1, 2, 3})};
      const ValueList before = run_model(model, inputs);
      const RewriteReport report = declutter(model);
      CHECK(report.firings.at("unroll_loops") == 1);
      for (const TypedNode& node : model.nodes()) CHECK(node.op.as<Loop>() == nullptr);
      const ValueList after = run_model(model, inputs);
      check_close(after[0], before[0]);
      check_close(after[1], before[1]);
    }
  }

  TEST_CASE("a loop beyond the budget stays a loop") {
    TypedModel model = running_sum_model(Shape{100}, kScanned, kStacked);
    Limits limits;
    limits.unroll_nodes = 50;
    CHECK_FALSE(declutter(model, limits).firings.contains("unroll_loops"));
  }

  TEST_CASE("a loop whose trips nobody knows stays a loop") {
    TypedModel model = running_sum_model(std::vector<Dim>{Dim::symbol("T")}, kScanned, kStacked);
    CHECK_FALSE(declutter(model).firings.contains("unroll_loops"));
  }
}
