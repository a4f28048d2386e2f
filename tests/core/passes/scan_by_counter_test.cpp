#include <doctest/doctest.h>

#include "strata/core/ops/gather.h"
#include "strata/core/ops/unsqueeze.h"
#include "support/loop_model.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// Sums of the columns of f32[2,n] `x`, as many as there are trips: each column read by the number
/// of the iteration, or by a vector of it.
TypedModel column_sums(const Fact& trips, const Fact& x, std::size_t index_rank) {
  TypedModel body;
  const OutletId number = body.add_source("number", Fact::tensor(DatumType::i64, Shape{}));
  const OutletId all = body.add_source("x", x.without_value());
  const Shape part = index_rank == 0 ? Shape{2} : Shape{2, 1};
  const OutletId sum = body.add_source("sum", float_fact(part));
  OutletId index = number;
  if (index_rank == 1)
    index = body.wire_one("index", Unsqueeze{},
                          {number, body.constant("axes", Tensor::of<std::int64_t>({1}, {0}))});
  const OutletId column = body.wire_one("column", Gather{1}, {all, index});
  const OutletId next = body.wire_one("next", Binary{BinaryOp::add}, {sum, column});
  body.add_output("sum_on", next);
  body.add_output("row", next);
  Loop loop;
  loop.body = std::make_shared<const TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::invariant}, {LoopInput::Kind::carried}};
  loop.outputs = {{LoopOutput::Kind::last, 0}, kStacked};
  loop.has_trip_count = loop.numbered = true;
  return model_of(loop, {trips, x, float_fact(part)}, {0, 1});
}

Tensor matrix(std::initializer_list<float> values) {
  return Tensor::of<float>({2, static_cast<std::int64_t>(values.size() / 2)}, values);
}

}  // namespace

TEST_SUITE("scan by counter") {
  TEST_CASE("rows read by the number of the iteration are scanned") {
    for (const std::size_t rank : {0u, 1u}) {
      TypedModel model = column_sums(Fact::of(integer(3)), float_fact(Shape{2, 3}), rank);
      const Tensor start = rank == 0 ? floats({10, 20}) : matrix({10, 20});
      const ValueList inputs{matrix({1, 2, 3, 4, 5, 6}), start};
      CHECK(declutter_and_compare(model, inputs, "scan_by_counter") == 1);
      REQUIRE(loop_of(model) != nullptr);
      CHECK_FALSE(loop_of(model)->numbered);
      check_close(run_model(model, inputs)[0], rank == 0 ? floats({16, 35}) : matrix({16, 35}));
    }
  }

  TEST_CASE("of more rows than there are trips only the first are scanned") {
    TypedModel model = column_sums(Fact::of(integer(2)), float_fact(Shape{2, 3}), 0);
    const ValueList inputs{matrix({1, 2, 3, 4, 5, 6}), floats({10, 20})};
    CHECK(declutter_and_compare(model, inputs, "scan_by_counter") == 1);
    check_close(run_model(model, inputs)[0], floats({13, 29}));
  }

  TEST_CASE("a constant is scanned") {
    TypedModel model = column_sums(Fact::of(integer(3)), Fact::of(matrix({1, 2, 3, 4, 5, 6})), 0);
    CHECK(declutter_and_compare(model, {floats({10, 20})}, "scan_by_counter") == 1);
  }

  TEST_CASE("a loop that a condition ends early is scanned as far as it runs") {
    TypedModel body;
    const Fact flag = Fact::tensor(DatumType::boolean, Shape{});
    const OutletId number = body.add_source("number", Fact::tensor(DatumType::i64, Shape{}));
    body.add_source("go_on", flag);
    const OutletId sum = body.add_source("sum", float_fact(Shape{})),
                   x = body.add_source("x", float_fact(Shape{4}));
    const OutletId next = body.wire_one("next", Binary{BinaryOp::add},
                                        {sum, body.wire_one("item", Gather{0}, {x, number})});
    const OutletId limit = body.constant("limit", Tensor::scalar(5.0F));
    body.add_output("go_on_on", body.wire_one("below", Binary{BinaryOp::less}, {next, limit}));
    body.add_output("sum_on", next);
    Loop loop;
    loop.body = std::make_shared<const TypedModel>(std::move(body));
    loop.inputs = {
        {LoopInput::Kind::carried}, {LoopInput::Kind::carried}, {LoopInput::Kind::invariant}};
    loop.outputs = {{LoopOutput::Kind::last, 1}};
    loop.has_trip_count = loop.numbered = true;
    loop.condition = 0;
    TypedModel model = model_of(
        loop, {Fact::of(integer(4)), flag, float_fact(Shape{}), float_fact(Shape{4})}, {0});
    const ValueList inputs{Tensor::scalar(true), Tensor::scalar(0.0F), floats({1, 2, 3, 4})};
    CHECK(declutter_and_compare(model, inputs, "scan_by_counter") == 1);
    check_close(run_model(model, inputs)[0], Tensor::scalar(6.0F));
    const ValueList never{Tensor::scalar(false), Tensor::scalar(0.0F), floats({1, 2, 3, 4})};
    check_close(run_model(model, never)[0], Tensor::scalar(0.0F));
  }

  TEST_CASE("trips and rows that may differ stay") {
    const Fact some_columns = float_fact(std::vector<Dim>{2, Dim::symbol("N")});
    TypedModel model = column_sums(Fact::of(integer(2)), some_columns, 0);
    const ValueList inputs{matrix({1, 2, 3, 4, 5, 6}), floats({10, 20})};
    CHECK(declutter_and_compare(model, inputs, "scan_by_counter") == 0);
    TypedModel unknown =
        column_sums(Fact::tensor(DatumType::i64, Shape{}), float_fact(Shape{2, 3}), 0);
    CHECK(declutter_and_compare(unknown, {integer(2), inputs[0], inputs[1]}, "scan_by_counter") ==
          0);
  }
}
