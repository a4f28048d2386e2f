#include <doctest/doctest.h>

#include "strata/core/ops/matmul.h"
#include "strata/core/ops/squeeze.h"
#include "support/loop_model.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// h + (x_t w + b), stacked, for rows x_t of f32[T,1,2] `x`; with the axis of the iterations taken
/// out of the rows, or kept.
TypedModel projection(bool is_squeezed, bool is_reversed) {
  TypedModel body;
  const Shape state = is_squeezed ? Shape{1, 2} : Shape{1, 1, 2};
  const OutletId x = body.add_source("x", float_fact(Shape{1, 1, 2})),
                 w = body.add_source("w", float_fact(Shape{2, 2})),
                 b = body.add_source("b", float_fact(Shape{2})),
                 h = body.add_source("h", float_fact(state));
  OutletId row = x;
  if (is_squeezed)
    row = body.wire_one("row", Squeeze{},
                        {x, body.constant("axes", Tensor::of<std::int64_t>({1}, {0}))});
  const OutletId product = body.wire_one("product", MatMul{}, {row, w});
  const OutletId shifted = body.wire_one("shifted", Binary{BinaryOp::add}, {product, b});
  const OutletId next = body.wire_one("next", Binary{BinaryOp::add}, {h, shifted});
  body.add_output("h_on", next);
  body.add_output("part", next);
  Loop loop;
  loop.body = std::make_shared<const TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::scanned, 0, 1, is_reversed},
                 {LoopInput::Kind::invariant},
                 {LoopInput::Kind::invariant},
                 {LoopInput::Kind::carried}};
  loop.outputs = {{LoopOutput::Kind::last, 0}, {LoopOutput::Kind::stacked, 1, 0, is_reversed}};
  return model_of(loop,
                  {float_fact(std::vector<Dim>{Dim::symbol("T"), 1, 2}), float_fact(Shape{2, 2}),
                   float_fact(Shape{2}), float_fact(state)},
                  {0, 1});
}

bool has_product(const TypedModel& model) {
  for (const TypedNode& node : model.nodes())
    if (!node.erased && node.op.as<MatMul>()) return true;
  return false;
}

}  // namespace

TEST_SUITE("batch prefix") {
  TEST_CASE("products of the rows become one product") {
    const Tensor x = Tensor::of<float>({3, 1, 2}, {1, 2, 3, 4, 5, 6});
    const Tensor w = Tensor::of<float>({2, 2}, {1, 10, 100, 1000});
    for (const bool is_squeezed : {false, true})
      for (const bool is_reversed : {false, true}) {
        TypedModel model = projection(is_squeezed, is_reversed);
        const Tensor h = Tensor::of<float>(is_squeezed ? Shape{1, 2} : Shape{1, 1, 2}, {0, 0});
        const ValueList inputs{x, w, floats({0.5, 0.25}), h};
        CHECK(declutter_and_compare(model, inputs, "batch_prefix") == 1);
        REQUIRE(loop_of(model) != nullptr);
        CHECK_FALSE(has_product(*loop_of(model)->body));
        CHECK(has_product(model));
        CHECK(loop_of(model)->inputs.size() == 2);
        // 1 + 3 + 5 + 100 (2 + 4 + 6) + 3 * 0.5, and ten times as much + 3 * 0.25
        const ValueList out = run_model(model, inputs);
        check_close(out[0], Tensor::of<float>(h.shape(), {1210.5F, 12090.75F}));
        const ValueList none = run_model(
            model, ValueList{Tensor::of<float>({0, 1, 2}, {}), w, floats({0.5, 0.25}), h});
        check_close(none[0], h);
      }
  }

  TEST_CASE("what mixes the row with a carried value stays") {
    TypedModel model = running_sum_model(std::vector<Dim>{Dim::symbol("T")}, kScanned, kStacked);
    CHECK(declutter_and_compare(model, {floats({1}), floats({1, 2})}, "batch_prefix") == 0);
  }

  TEST_CASE("rows that the loop may not reach are not computed before it") {
    TypedModel body;
    const OutletId x = body.add_source("x", float_fact(Shape{1}));
    body.add_output("part", body.wire_one("square", Binary{BinaryOp::mul}, {x, x}));
    Loop loop;
    loop.body = std::make_shared<const TypedModel>(std::move(body));
    loop.inputs = {kScanned};
    loop.outputs = {{LoopOutput::Kind::stacked, 0, 0}};
    loop.has_trip_count = true;
    for (const std::int64_t trips : {2, 3}) {
      TypedModel model = model_of(loop, {Fact::of(integer(trips)), float_fact(Shape{3})}, {0});
      const bool reads_all = trips == 3;
      CHECK((declutter_and_compare(model, {floats({1, 2, 3})}, "batch_prefix") == 1) == reads_all);
    }
  }

  TEST_CASE("a row stretched to something larger stays") {
    TypedModel body;
    const OutletId x = body.add_source("x", float_fact(Shape{1})),
                   wide = body.add_source("wide", float_fact(Shape{4}));
    body.add_output("part", body.wire_one("sum", Binary{BinaryOp::add}, {x, wide}));
    Loop loop;
    loop.body = std::make_shared<const TypedModel>(std::move(body));
    loop.inputs = {kScanned, {LoopInput::Kind::invariant}};
    loop.outputs = {{LoopOutput::Kind::stacked, 0, 0}};
    TypedModel model =
        model_of(loop, {float_fact(std::vector<Dim>{Dim::symbol("T")}), float_fact(Shape{4})}, {0});
    CHECK(declutter_and_compare(model, {floats({1, 2}), floats({10, 20, 30, 40})},
                                "batch_prefix") == 0);
  }
}
