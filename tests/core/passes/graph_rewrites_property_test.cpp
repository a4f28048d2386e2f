#include <doctest/doctest.h>

#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "support/op_case.h"
#include "support/random_graph.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// What the model gives; nothing where it cannot be run on these inputs.
std::optional<ValueList> outputs_of(const TypedModel& model, const ValueList& inputs) {
  try {
    return run_model(model, inputs);
  } catch (const Error& error) {
    CHECK(error.kind() != ErrorKind::internal);
    return std::nullopt;
  }
}

}  // namespace

TEST_SUITE("graph rewrites") {
  TEST_CASE("random graphs give the same before and after") {
    std::size_t compared = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
      CAPTURE(seed);
      RandomGraph random(seed);
      TypedModel simple = random.model();
      declutter(simple);
      TypedModel fast = simple;
      optimise(fast);
      for (const std::int64_t n : {1, 3, 4}) {
        CAPTURE(n);
        const ValueList inputs = random.inputs(n);
        const auto expected = outputs_of(random.model(), inputs);
        if (!expected) continue;
        ++compared;
        for (const TypedModel* model : {&simple, &fast}) {
          const ValueList actual = run_model(*model, inputs);
          REQUIRE(actual.size() == expected->size());
          for (std::size_t i = 0; i < actual.size(); ++i)
            check_close(actual[i], (*expected)[i], 1e-4, 1e-5);
        }
      }
    }
    CHECK(compared > 600);
  }
}
