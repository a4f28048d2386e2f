#include <doctest/doctest.h>

#include "strata/core/ops/matmul.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unary.h"
#include "strata/core/ops/unsqueeze.h"
#include "support/loop_model.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr std::int64_t kIn = 2;

/// h = -(h + row of x), and the stack of (h + row) w, for w of [2,outputs]; h has rank 1 or 2.
TypedModel projected(std::int64_t outputs, bool is_vector, bool is_reversed) {
  TypedModel body;
  const Shape state = is_vector ? Shape{kIn} : Shape{1, kIn};
  const OutletId h = body.add_source("h", float_fact(state)),
                 w = body.add_source("w", float_fact(Shape{kIn, outputs})),
                 row = body.add_source("row", float_fact(Shape{1, kIn}));
  const OutletId axis = body.constant("axis", Tensor::of<std::int64_t>({1}, {0}));
  OutletId x = row;
  if (is_vector) x = body.wire_one("flat", Squeeze{}, {row, axis});
  const OutletId sum = body.wire_one("sum", Binary{BinaryOp::add}, {h, x});
  body.add_output("h_on", body.wire_one("next", Unary{UnaryOp::neg}, {sum}));
  OutletId part = body.wire_one("product", MatMul{}, {sum, w});
  if (is_vector) part = body.wire_one("part", Unsqueeze{}, {part, axis});
  body.add_output("y", part);
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::carried}, {LoopInput::Kind::invariant}, kScanned};
  loop.outputs = {{LoopOutput::Kind::last, 0}, {LoopOutput::Kind::stacked, 1, 0, is_reversed}};
  return model_of(loop,
                  {float_fact(state), float_fact(Shape{kIn, outputs}),
                   float_fact(std::vector<Dim>{Dim::symbol("T"), kIn})},
                  {0, 1});
}

}  // namespace

TEST_SUITE("batch suffix") {
  TEST_CASE("a product that only a stack needs is made once, after the loop") {
    // sums: 1 2, then -1+3 -2+4, then -2+5 -2+6; times [1 10; 100 1000]
    const Tensor x = Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}),
                 w = Tensor::of<float>({2, 2}, {1, 10, 100, 1000});
    for (const bool is_vector : {false, true})
      for (const bool is_reversed : {false, true}) {
        CAPTURE(is_vector);
        CAPTURE(is_reversed);
        TypedModel model = projected(2, is_vector, is_reversed);
        const Tensor h = Tensor::of<float>(is_vector ? Shape{2} : Shape{1, 2}, {0, 0});
        CHECK(declutter_and_compare(model, {h, w, x}, "batch_suffix") == 1);
        REQUIRE(loop_of(model) != nullptr);
        CHECK_FALSE(has_op<MatMul>(*loop_of(model)->body));
        CHECK(has_op<MatMul>(model));
        const ValueList out = run_model(model, ValueList{h, w, x});
        check_close(out[0], Tensor::of<float>(h.shape(), {-3, -4}));
        check_close(out[1], is_reversed
                                ? Tensor::of<float>({3, 2}, {403, 4030, 202, 2020, 201, 2010})
                                : Tensor::of<float>({3, 2}, {201, 2010, 202, 2020, 403, 4030}));
        const ValueList none = run_model(model, ValueList{h, w, Tensor::of<float>({0, 2}, {})});
        check_close(none[1], Tensor::of<float>({0, 2}, {}));
      }
  }

  TEST_CASE("what would have to stack more stays") {
    TypedModel model = projected(1, false, false);
    const ValueList inputs{Tensor::of<float>({1, 2}, {0, 0}), Tensor::of<float>({2, 1}, {1, 2}),
                           Tensor::of<float>({2, 2}, {1, 2, 3, 4})};
    CHECK(declutter_and_compare(model, inputs, "batch_suffix") == 0);
    CHECK(has_op<MatMul>(*loop_of(model)->body));
  }

  TEST_CASE("what is carried on as well stays") {
    TypedModel model = running_sum_model(std::vector<Dim>{Dim::symbol("T")}, kScanned, kStacked);
    CHECK(declutter_and_compare(model, {floats({1}), floats({1, 2})}, "batch_suffix") == 0);
  }

  TEST_CASE("what depends on two values of an iteration stays") {
    TypedModel body;
    const OutletId a = body.add_source("a", float_fact(Shape{1})),
                   b = body.add_source("b", float_fact(Shape{1}));
    body.add_output("a_on", b);
    body.add_output("b_on", a);
    body.add_output("y", body.wire_one("product", Binary{BinaryOp::mul}, {a, b}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{LoopInput::Kind::carried}, {LoopInput::Kind::carried}};
    loop.outputs = {{LoopOutput::Kind::stacked, 2, 0}};
    loop.has_trip_count = true;
    TypedModel model = model_of(
        loop, {Fact::tensor(DatumType::i64, Shape{}), float_fact(Shape{1}), float_fact(Shape{1})},
        {0});
    CHECK(declutter_and_compare(model, {integer(3), floats({2}), floats({3})}, "batch_suffix") ==
          0);
  }
}
