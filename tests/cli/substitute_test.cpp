#include "substitute.h"

#include <doctest/doctest.h>

#include "strata/core/ops/concat.h"
#include "strata/core/session.h"

using namespace strata;

namespace {

/// y = x joined with x, for x of [N,2].
TypedModel doubling() {
  TypedModel model;
  const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 2}}));
  model.add_output("y", model.wire_one("y", Concat{0}, {x, x}));
  return model;
}

}  // namespace

TEST_SUITE("substitute") {
  TEST_CASE("a symbol's size reaches every fact") {
    const TypedModel model = cli::substitute(doubling(), {{"N", 4}});
    CHECK(model.input_fact(0).to_string() == "f32[4,2]");
    CHECK(model.output_fact(0).to_string() == "f32[8,2]");
  }

  TEST_CASE("the symbols of the inputs are listed") {
    CHECK(cli::input_symbols(doubling()) == std::vector<std::string>{"N"});
  }

  TEST_CASE("an input becomes a constant") {
    const Value x = Tensor::of<float>({1, 2}, {1, 2});
    const TypedModel model = cli::with_constants(doubling(), {&x});
    CHECK(model.inputs().empty());
    CHECK(run_model(model, {})[0] == Value(Tensor::of<float>({2, 2}, {1, 2, 1, 2})));
  }
}
