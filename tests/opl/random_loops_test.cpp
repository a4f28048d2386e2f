#include <doctest/doctest.h>

#include "strata/core/transform.h"
#include "strata/opl/model.h"
#include "support/random_loop.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// `model` with its inputs as constants.
TypedModel with_constants(const TypedModel& model, const ValueList& inputs) {
  TypedModel out = model;
  const OutletIds sources = out.inputs();
  for (std::size_t i = 0; i < sources.size(); ++i)
    out.redirect(sources[i], out.constant(cat("given", i), inputs[i]));
  out.set_inputs({});
  out.remove_dead_nodes();
  out.compact();
  return out;
}

}  // namespace

TEST_CASE("random loops give the same when written and read again, and with constant inputs") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    RandomLoop random(seed);
    TypedModel model = random.model(seed % 2 == 0 ? Dim(kRows) : Dim::symbol("T"), seed % 3 == 0);
    const ValueList inputs = random.inputs();
    const ValueList expected = run_model(model, inputs);
    TypedModel constant = with_constants(model, inputs);
    declutter(constant);
    check_agree(run_model(constant, {}), expected);

    declutter(model);
    const std::string text = opl::to_text(model);
    const TypedModel read = opl::from_text(text);
    CHECK(opl::to_text(read) == text);
    check_agree(run_model(read, inputs), expected);
  }
}
