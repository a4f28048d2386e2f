#include <doctest/doctest.h>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/transpose.h"
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
  loop.body = std::make_shared<TypedModel>(std::move(body));
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
        CHECK_FALSE(has_op<MatMul>(*loop_of(model)->body));
        CHECK(has_op<MatMul>(model));
        CHECK(loop_of(model)->inputs.size() == 2);
        // 1 + 3 + 5 + 100 (2 + 4 + 6) + 3 * 0.5, and ten times as much + 3 * 0.25
        const ValueList out = run_model(model, inputs);
        check_close(out[0], Tensor::of<float>(h.shape(), {1210.5F, 12090.75F}));
        const ValueList none = run_model(
            model, ValueList{Tensor::of<float>({0, 1, 2}, {}), w, floats({0.5, 0.25}), h});
        check_close(none[0], h);
      }
  }

  TEST_CASE("rows scanned along another axis are moved for a product, and for nothing less") {
    for (const bool has_matrix : {true, false}) {
      TypedModel body;
      const OutletId x = body.add_source("x", float_fact(Shape{2, 1, 2})),
                     w = body.add_source("w", float_fact(Shape{2, 2})),
                     h = body.add_source("h", float_fact(Shape{2, 1, 2}));
      const OutletId value = has_matrix ? body.wire_one("product", MatMul{}, {x, w})
                                        : body.wire_one("square", Binary{BinaryOp::mul}, {x, x});
      body.add_output("h_on", body.wire_one("next", Binary{BinaryOp::sub}, {value, h}));
      Loop loop;
      loop.body = std::make_shared<TypedModel>(std::move(body));
      loop.inputs = {{LoopInput::Kind::scanned, 1, 1, true},
                     {LoopInput::Kind::invariant},
                     {LoopInput::Kind::carried}};
      loop.outputs = {{LoopOutput::Kind::last, 0}};
      TypedModel model = model_of(loop,
                                  {float_fact(std::vector<Dim>{2, Dim::symbol("T"), 2}),
                                   float_fact(Shape{2, 2}), float_fact(Shape{2, 1, 2})},
                                  {0});
      const ValueList inputs{Tensor::of<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                             Tensor::of<float>({2, 2}, {1, 10, 100, 1000}),
                             Tensor::of<float>({2, 1, 2}, {0, 0, 0, 0})};
      CHECK(declutter_and_compare(model, inputs, "batch_prefix") == (has_matrix ? 1 : 0));
      // backward: the row of place 0 minus that of place 1, each times w or by itself
      check_close(run_model(model, inputs)[0],
                  has_matrix ? Tensor::of<float>({2, 1, 2}, {-202, -2020, -202, -2020})
                             : Tensor::of<float>({2, 1, 2}, {-8, -12, -24, -28}));
    }
  }

  TEST_CASE("gates that are split, turned and cut are so for all rows at once") {
    TypedModel body;
    const OutletId x = body.add_source("x", float_fact(Shape{1, 4})),
                   h = body.add_source("h", float_fact(Shape{2, 1}));
    const auto integers = [&](const std::string& name, std::initializer_list<std::int64_t> values) {
      return body.constant(
          name, Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values));
    };
    const OutletIds gates = body.wire("gates", Split{1, 2}, {x});
    const OutletId joined = body.wire_one("joined", Concat{0}, {gates[1], gates[0]});
    const OutletId square =
        body.wire_one("square", Reshape{}, {gates[0], integers("shape", {2, 1})});
    const OutletId turned = body.wire_one("turned", Transpose{{1, 0}}, {joined});
    const OutletId cut = body.wire_one(
        "cut", Slice{},
        {turned, integers("start", {0}), integers("end", {1}), integers("axis", {1})});
    const OutletId sum = body.wire_one("sum", Binary{BinaryOp::sub}, {square, cut});
    body.add_output("h_on", body.wire_one("next", Binary{BinaryOp::sub}, {sum, h}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {kScanned, {LoopInput::Kind::carried}};
    loop.outputs = {{LoopOutput::Kind::last, 0}};
    TypedModel model = model_of(
        loop, {float_fact(std::vector<Dim>{Dim::symbol("T"), 4}), float_fact(Shape{2, 1})}, {0});
    const ValueList inputs{Tensor::of<float>({2, 4}, {1, 2, 4, 8, 16, 32, 64, 128}),
                           Tensor::of<float>({2, 1}, {0, 0})};
    CHECK(declutter_and_compare(model, inputs, "batch_prefix") >= 1);
    REQUIRE(loop_of(model) != nullptr);
    for (const TypedNode& node : loop_of(model)->body->nodes()) {
      CHECK(node.op.as<Split>() == nullptr);
      CHECK(node.op.as<Transpose>() == nullptr);
    }
    // first half minus second half: [-3, -6], then [-48, -96] minus that
    check_close(run_model(model, inputs)[0], Tensor::of<float>({2, 1}, {-45, -90}));
    check_close(run_model(model, ValueList{Tensor::of<float>({0, 4}, {}), inputs[1]})[0],
                Tensor::of<float>({2, 1}, {0, 0}));
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
    loop.body = std::make_shared<TypedModel>(std::move(body));
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
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {kScanned, {LoopInput::Kind::invariant}};
    loop.outputs = {{LoopOutput::Kind::stacked, 0, 0}};
    TypedModel model =
        model_of(loop, {float_fact(std::vector<Dim>{Dim::symbol("T")}), float_fact(Shape{4})}, {0});
    CHECK(declutter_and_compare(model, {floats({1, 2}), floats({10, 20, 30, 40})},
                                "batch_prefix") == 0);
  }
}
