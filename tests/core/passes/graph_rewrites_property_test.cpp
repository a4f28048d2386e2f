#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "support/op_case.h"
#include "support/random_graph.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// Whether numbers of f16 are no more than some units apart.
bool is_close(const Tensor& actual, const Tensor& expected) {
  if (actual.shape() != expected.shape() || actual.dtype() != expected.dtype()) return false;
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    const double wanted = number_at(expected, i), got = number_at(actual, i);
    if (got == wanted || (std::isnan(got) && std::isnan(wanted))) continue;
    if (!(std::abs(got - wanted) <= 0x1p-8 * std::max(1.0, std::abs(wanted)))) return false;
  }
  return true;
}

}  // namespace

TEST_SUITE("graph rewrites") {
  TEST_CASE("random graphs give the same before and after") {
    for (const InputRanks ranks : {InputRanks::known, InputRanks::some_open}) {
      std::size_t compared = 0;
      for (unsigned seed = 0; seed < 400; ++seed) {
        CAPTURE(seed);
        RandomGraph random(seed, DatumType::f32, ranks);
        TypedModel simple = random.model();
        declutter(simple);
        TypedModel fast = simple;
        optimise(fast);
        for (const std::int64_t n : {0, 1, 3, 4}) {
          CAPTURE(n);
          const ValueList inputs = random.inputs(n);
          const auto expected = outputs_of(random.model(), inputs);
          if (!expected) continue;
          ++compared;
          for (const TypedModel* model : {&simple, &fast})
            check_all_close(run_model(*model, inputs), *expected, 1e-4, 1e-5);
        }
      }
      CHECK(compared > 600);
    }
  }

  // A sum that ends on the other side of a middle is one unit off, and a comparison of it may turn
  // out otherwise; few graphs have one.
  TEST_CASE("random graphs of f16 give the same in f32, to a few units") {
    std::size_t compared = 0, far = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
      CAPTURE(seed);
      RandomGraph random(seed, DatumType::f16);
      TypedModel fast = random.model();
      declutter(fast);
      optimise(fast);
      for (const std::int64_t n : {1, 4}) {
        const ValueList inputs = random.inputs(n);
        const auto expected = outputs_of(random.model(), inputs);
        if (!expected) continue;
        ++compared;
        const ValueList actual = run_model(fast, inputs);
        REQUIRE(actual.size() == expected->size());
        for (std::size_t i = 0; i < actual.size(); ++i)
          far += !is_close(actual[i].tensor(), (*expected)[i].tensor());
      }
    }
    CHECK(compared > 400);
    CHECK(far <= 4);
  }
}
