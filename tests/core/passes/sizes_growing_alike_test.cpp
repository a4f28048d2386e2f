#include <doctest/doctest.h>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/unary.h"
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

/// Five carried values that grow: a, b and c by one number, d and e by two. c is one longer than b,
/// so that b's symbol stays.
TypedModel growing_model() {
  const Dim a = Dim::symbol("A"), b = Dim::symbol("B"), d = Dim::symbol("D"), e = Dim::symbol("E");
  TypedModel body;
  Loop loop;
  std::vector<Fact> operands{Fact::tensor(DatumType::i64, Shape{})};
  const auto carry = [&](const Dim& size, std::int64_t first, std::int64_t growth) {
    const OutletId wire =
        body.add_source(cat("in", loop.inputs.size()), float_fact(std::vector<Dim>{size}));
    const OutletId more = body.constant(cat("more", loop.inputs.size()),
                                        Tensor::of<float>({growth}, std::vector<float>(growth, 3)));
    const OutletId negated =
        body.wire_one(cat("neg", loop.inputs.size()), Unary{UnaryOp::neg}, {wire});
    body.add_output(cat("on", loop.inputs.size()),
                    body.wire_one(cat("cat", loop.inputs.size()), Concat{0}, {negated, more}));
    loop.outputs.push_back({LoopOutput::Kind::last, static_cast<std::int64_t>(loop.inputs.size())});
    loop.inputs.push_back({Kind::carried});
    operands.push_back(float_fact(Shape{first}));
  };
  carry(a, 1, 1);
  carry(b, 1, 1);
  carry(b + 1, 2, 1);
  carry(d, 1, 2);
  carry(e, 1, 2);
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.has_trip_count = true;
  return model_of(loop, operands, {0, 1, 2, 3, 4});
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

  TEST_CASE("where one symbol has to stay, others go") {
    TypedModel model = growing_model();
    const ValueList given{Tensor::scalar<std::int64_t>(2), kOne, kOne,
                          Tensor::of<float>({2}, {1, 2}),  kOne, kOne};
    CHECK(firings_of(model, {given}, "sizes_growing_alike") == 1);
    const TypedModel& body = *loop_of(model)->body;
    CHECK(body.input_fact(0).shape != body.input_fact(1).shape);
    CHECK(body.input_fact(3).shape == body.input_fact(4).shape);
  }

  TEST_CASE("sizes that begin otherwise, or change otherwise, keep their symbols") {
    TypedModel wide = doubling_model(1, 2);
    const Tensor b = Tensor::of<float>({2}, {2, 3});
    CHECK(firings_of(wide, {inputs(1, kOne, b)}, "sizes_growing_alike") == 0);
    TypedModel kept = doubling_model(1, 1, true);
    CHECK(firings_of(kept, {inputs(2, kOne, kTwo)}, "sizes_growing_alike") == 0);
  }
}
