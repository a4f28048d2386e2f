#include <doctest/doctest.h>

#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "strata/opl/model.h"
#include "support/op_case.h"
#include "support/random_graph.h"

using namespace strata;
using namespace strata::tests;

TEST_CASE("random graphs give the same when written and read again") {
  std::size_t compared = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    RandomGraph random(seed);
    TypedModel model = random.model();
    declutter(model);
    const std::string text = opl::to_text(model);
    TypedModel read = opl::from_text(text);
    CHECK(opl::to_text(read) == text);
    declutter(read);
    const ValueList inputs = random.inputs(3);
    const auto expected = outputs_of(random.model(), inputs);
    if (!expected) continue;
    ++compared;
    const ValueList actual = run_model(read, inputs);
    REQUIRE(actual.size() == expected->size());
    for (std::size_t i = 0; i < actual.size(); ++i)
      check_close(actual[i], (*expected)[i], 1e-4, 1e-5);
  }
  CHECK(compared > 100);
}
