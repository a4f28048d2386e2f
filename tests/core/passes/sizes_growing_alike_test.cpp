#include <doctest/doctest.h>

#include "strata/core/ops/concat.h"
#include "support/rule_count.h"

using namespace strata;
using namespace strata::tests;

namespace {

using Kind = LoopInput::Kind;

/// Carried a and b, of any lengths that begin as given: a, b = [a + b, a + b], and the square of
/// that. Where `b_keeps`, b stays as it is.
TypedModel doubling_model(std::int64_t a_begins, std::int64_t b_begins, bool b_keeps = false) {
  TypedModel body;
  const OutletId a = body.add_source("a", float_fact(std::vector<Dim>{Dim::symbol("A")})),
                 b = body.add_source("b", float_fact(std::vector<Dim>{Dim::symbol("B")}));
  const OutletId sum = body.wire_one("sum", Binary{BinaryOp::add}, {a, b});
  const OutletId twice = body.wire_one("twice", Concat{0}, {sum, sum});
  body.add_output("a_on", twice);
  body.add_output("b_on",
                  b_keeps ? b : body.wire_one("square", Binary{BinaryOp::mul}, {twice, twice}));
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.has_trip_count = true;
  loop.inputs = {{Kind::carried}, {Kind::carried}};
  loop.outputs = {{LoopOutput::Kind::last, 0}, {LoopOutput::Kind::last, 1}};
  return model_of(loop,
                  {Fact::tensor(DatumType::i64, Shape{}), float_fact(Shape{a_begins}),
                   float_fact(Shape{b_begins})},
                  {0, 1});
}

ValueList inputs(std::int64_t trips, const Tensor& a, const Tensor& b) {
  return {Tensor::scalar<std::int64_t>(trips), a, b};
}

const Tensor kOne = Tensor::of<float>({1}, {1}), kTwo = Tensor::of<float>({1}, {2});

}  // namespace

TEST_SUITE("sizes growing alike") {
  TEST_CASE("sizes that begin alike and become the same one have one symbol") {
    TypedModel model = doubling_model(1, 1);
    CHECK(firings_of(model, {inputs(2, kOne, kTwo), inputs(0, kOne, kTwo)},
                     "sizes_growing_alike") == 1);
    REQUIRE(loop_of(model) != nullptr);
    const TypedModel& body = *loop_of(model)->body;
    CHECK(body.input_fact(0).shape == body.input_fact(1).shape);
    CHECK(body.output_fact(0).shape[0] == body.input_fact(0).shape[0] * 2);
    const ValueList found = run_model(model, inputs(2, kOne, kTwo));
    check_close(found[0], Tensor::of<float>({4}, {12, 12, 12, 12}));
    check_close(found[1], Tensor::of<float>({4}, {144, 144, 144, 144}));
  }

  TEST_CASE("sizes that begin otherwise, or change otherwise, keep their symbols") {
    TypedModel wide = doubling_model(1, 2);
    const Tensor b = Tensor::of<float>({2}, {2, 3});
    CHECK(firings_of(wide, {inputs(1, kOne, b)}, "sizes_growing_alike") == 0);
    TypedModel kept = doubling_model(1, 1, true);
    CHECK(firings_of(kept, {inputs(2, kOne, kTwo)}, "sizes_growing_alike") == 0);
  }
}
