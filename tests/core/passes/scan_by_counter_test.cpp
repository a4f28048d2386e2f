#include <doctest/doctest.h>

#include <algorithm>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/unary.h"
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
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::invariant}, {LoopInput::Kind::carried}};
  loop.outputs = {{LoopOutput::Kind::last, 0}, kStacked};
  loop.has_trip_count = loop.numbered = true;
  return model_of(loop, {trips, x, float_fact(part)}, {0, 1});
}

/// h = h + x[place], where the place is a Fibonacci number more than the number of the iteration:
/// each term the sum of the two before it, none of which is a place.
TypedModel row_by_many_sums(std::size_t terms) {
  TypedModel body;
  const OutletId number = body.add_source("number", Fact::tensor(DatumType::i64, Shape{}));
  const OutletId x = body.add_source("x", float_fact(Shape{4})),
                 h = body.add_source("h", float_fact(Shape{})),
                 a = body.add_source("a", Fact::tensor(DatumType::i64, Shape{}));
  OutletId before = a, last = a;
  for (std::size_t i = 0; i < terms; ++i) {
    const OutletId sum = body.wire_one(cat("sum", i), Binary{BinaryOp::add}, {before, last});
    before = last;
    last = sum;
  }
  const OutletId place = body.wire_one("place", Binary{BinaryOp::add}, {last, number});
  const OutletId row = body.wire_one("row", Gather{0}, {x, place});
  body.add_output("h_on", body.wire_one("next", Binary{BinaryOp::add}, {h, row}));
  body.add_output("a_on", body.wire_one("twice", Binary{BinaryOp::add}, {a, a}));
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {
      {LoopInput::Kind::invariant}, {LoopInput::Kind::carried}, {LoopInput::Kind::carried}};
  loop.outputs = {{LoopOutput::Kind::last, 0}};
  loop.has_trip_count = loop.numbered = true;
  return model_of(loop,
                  {Fact::of(integer(2)), float_fact(Shape{4}), float_fact(Shape{}),
                   Fact::tensor(DatumType::i64, Shape{})},
                  {0});
}

/// h = h + x[place] over f32[rows], where the place is the number of the iteration and these, one
/// added after the other.
TypedModel sum_of_rows(std::int64_t trips, std::int64_t rows,
                       const std::vector<std::int64_t>& added) {
  TypedModel body;
  OutletId place = body.add_source("number", Fact::tensor(DatumType::i64, Shape{}));
  const OutletId x = body.add_source("x", float_fact(Shape{rows})),
                 h = body.add_source("h", float_fact(Shape{}));
  for (const std::int64_t value : added)
    place = body.wire_one(body.unique_name("place"), Binary{BinaryOp::add},
                          {place, body.constant(body.unique_name("added"), integer(value))});
  const OutletId row = body.wire_one("row", Gather{0}, {x, place});
  body.add_output("h_on", body.wire_one("next", Binary{BinaryOp::add}, {h, row}));
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::invariant}, {LoopInput::Kind::carried}};
  loop.outputs = {{LoopOutput::Kind::last, 0}};
  loop.has_trip_count = loop.numbered = true;
  return model_of(loop, {Fact::of(integer(trips)), float_fact(Shape{rows}), float_fact(Shape{})},
                  {0});
}

/// How the body counts down from the last row.
enum class Count {
  from_offset,  ///< constant - i
  from_size,    ///< (constant - i) - 1
  negative,     ///< -1 - i: from the end
};

/// h = (h - row) / 2 over rows of f32[rows] read backward; `from_offset` starts at row trips - 1.
TypedModel halved_differences(Count count, std::int64_t trips, const Dim& rows) {
  TypedModel body;
  const OutletId number = body.add_source("number", Fact::tensor(DatumType::i64, Shape{}));
  const OutletId x = body.add_source("x", float_fact(std::vector<Dim>{rows})),
                 h = body.add_source("h", float_fact(Shape{1}));
  const std::int64_t first = count == Count::negative      ? -1
                             : count == Count::from_offset ? trips - 1
                                                           : trips;
  OutletId place = body.wire_one("place", Binary{BinaryOp::sub},
                                 {body.constant("first", integer(first)), number});
  if (count == Count::from_size)
    place =
        body.wire_one("before", Binary{BinaryOp::sub}, {place, body.constant("one", integer(1))});
  const OutletId row = body.wire_one("row", Gather{0}, {x, place});
  const OutletId rest = body.wire_one("rest", Binary{BinaryOp::sub}, {h, row});
  body.add_output("h_on", body.wire_one("half", Binary{BinaryOp::mul},
                                        {rest, body.constant("factor", floats({0.5F}))}));
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::invariant}, {LoopInput::Kind::carried}};
  loop.outputs = {{LoopOutput::Kind::last, 0}};
  loop.has_trip_count = loop.numbered = true;
  return model_of(
      loop, {Fact::of(integer(trips)), float_fact(std::vector<Dim>{rows}), float_fact(Shape{1})},
      {0});
}

std::size_t count_of_rule(TypedModel& model) {
  const RewriteReport report = declutter(model, without_unrolling());
  return report.firings.contains("scan_by_counter") ? report.firings.at("scan_by_counter") : 0;
}

Tensor matrix(std::initializer_list<float> values) {
  return Tensor::of<float>({2, static_cast<std::int64_t>(values.size() / 2)}, values);
}

}  // namespace

TEST_SUITE("scan by counter") {
  TEST_CASE("sums of sums that are no place are looked at once each") {
    TypedModel model = row_by_many_sums(80);
    const ValueList inputs{floats({1, 2, 3, 4}), Tensor::scalar(10.0F), integer(0)};
    CHECK(declutter_and_compare(model, inputs, "scan_by_counter") == 0);
    check_close(run_model(model, inputs)[0], Tensor::scalar(13.0F));
  }

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
    loop.body = std::make_shared<TypedModel>(std::move(body));
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

  TEST_CASE("rows counted from the last on are scanned backward") {
    // 8 - row(n-1-i) - …, halved in each iteration: the order matters.
    for (const Count count : {Count::from_offset, Count::from_size, Count::negative}) {
      CAPTURE(static_cast<int>(count));
      TypedModel model = halved_differences(count, 3, Dim(3));
      const ValueList inputs{floats({1, 2, 3}), floats({8})};
      CHECK(declutter_and_compare(model, inputs, "scan_by_counter") == 1);
      REQUIRE(loop_of(model) != nullptr);
      const auto is_backward = [](const LoopInput& input) { return input.reversed; };
      const auto& entries = loop_of(model)->inputs;
      CHECK(std::any_of(entries.begin(), entries.end(), is_backward));
      // (((8 - 3) / 2 - 2) / 2 - 1) / 2
      check_close(run_model(model, inputs)[0], floats({-0.375F}));
    }
  }

  TEST_CASE("of more rows the right ones are scanned backward") {
    TypedModel model = halved_differences(Count::from_offset, 2, Dim(5));  // rows 1 and 0
    const ValueList inputs{floats({1, 2, 3, 4, 5}), floats({8})};
    CHECK(declutter_and_compare(model, inputs, "scan_by_counter") == 1);
    check_close(run_model(model, inputs)[0], floats({1}));             // ((8 - 2) / 2 - 1) / 2
    TypedModel last = halved_differences(Count::negative, 2, Dim(5));  // rows 4 and 3
    CHECK(declutter_and_compare(last, inputs, "scan_by_counter") == 1);
    check_close(run_model(last, inputs)[0], floats({-1.25F}));  // ((8 - 5) / 2 - 4) / 2
  }

  TEST_CASE("rows that may not be there stay, and fail as before") {
    TypedModel model = halved_differences(Count::from_offset, 3, Dim(2));
    CHECK(count_of_rule(model) == 0);
    CHECK_THROWS_WITH_AS(run_model(model, ValueList{floats({1, 2}), floats({8})}),
                         doctest::Contains("index 2 is outside an axis of 2"), Error);
    TypedModel unknown = halved_differences(Count::from_offset, 3, Dim::symbol("N"));
    CHECK(count_of_rule(unknown) == 0);
  }

  TEST_CASE("rows far beyond the last stay, and fail as before") {
    for (const std::int64_t first : {INT64_MAX, INT64_MAX - 1, INT64_MIN}) {
      TypedModel model = sum_of_rows(70, 100, {first});
      CHECK(count_of_rule(model) == 0);
      CHECK_THROWS_WITH_AS(
          run_model(model, ValueList{MutableTensor::zeros(DatumType::f32, {100}).freeze(),
                                     Tensor::scalar(0.0F)}),
          doctest::Contains("is outside an axis of 100"), Error);
    }
  }

  TEST_CASE("places that leave 64 bits on the way are no error of the model") {
    TypedModel model = sum_of_rows(3, 3, {INT64_MAX, 1, -INT64_MAX, -1});
    CHECK(count_of_rule(model) == 0);
    check_close(run_model(model, ValueList{floats({1, 2, 4}), Tensor::scalar(0.0F)})[0],
                Tensor::scalar(7.0F));
  }

  TEST_CASE("slices of one row are scanned") {
    for (const std::int64_t width : {1, 2}) {
      TypedModel body;
      const OutletId number = body.add_source("number", Fact::tensor(DatumType::i64, Shape{}));
      const OutletId x = body.add_source("x", float_fact(Shape{5})),
                     sum = body.add_source("sum", float_fact(Shape{width}));
      const auto integers = [&](const std::string& name, std::int64_t value) {
        return body.constant(name, Tensor::of<std::int64_t>({1}, {value}));
      };
      const OutletId start = body.wire_one("start", Unsqueeze{}, {number, integers("axis", 0)});
      const OutletId end =
          body.wire_one("end", Binary{BinaryOp::add}, {start, integers("width", width)});
      const OutletId row = body.wire_one("row", Slice{}, {x, start, end});
      body.add_output("sum_on", body.wire_one("next", Binary{BinaryOp::sub}, {row, sum}));
      Loop loop;
      loop.body = std::make_shared<TypedModel>(std::move(body));
      loop.inputs = {{LoopInput::Kind::invariant}, {LoopInput::Kind::carried}};
      loop.outputs = {{LoopOutput::Kind::last, 0}};
      loop.has_trip_count = loop.numbered = true;
      TypedModel model = model_of(
          loop, {Fact::of(integer(3)), float_fact(Shape{5}), float_fact(Shape{width})}, {0});
      const Tensor zeros = width == 1 ? floats({0}) : floats({0, 0});
      const ValueList inputs{floats({1, 2, 4, 8, 16}), zeros};
      CHECK(declutter_and_compare(model, inputs, "scan_by_counter") == (width == 1 ? 1 : 0));
      // 4 - (2 - 1), 8 - (4 - 2)
      check_close(run_model(model, inputs)[0], width == 1 ? floats({3}) : floats({3, 6}));
    }
  }

  TEST_CASE("once a row is known to be one, so are the sizes of what grows by it") {
    TypedModel body;
    const auto open = [&](const char* name, const char* size) {
      body.symbols().reserve(size);
      return body.add_source(name, float_fact(std::vector<Dim>{Dim::symbol(size)}));
    };
    const auto integers = [&](std::int64_t value) {
      return body.constant("integer", Tensor::of<std::int64_t>({1}, {value}));
    };
    const OutletId number = body.add_source("number", Fact::tensor(DatumType::i64, Shape{})),
                   x = body.add_source("x", float_fact(std::vector<Dim>{Dim::symbol("M")})),
                   a = open("a", "u0"), b = open("b", "u1");
    const OutletId start = body.wire_one("start", Unsqueeze{}, {number, integers(0)}),
                   end = body.wire_one("end", Binary{BinaryOp::add}, {start, integers(1)}),
                   slice = body.wire_one("slice", Slice{}, {x, start, end}),
                   row = body.wire_one("row", Unary{UnaryOp::tanh}, {slice}),
                   longer_a = body.wire_one("longer_a", Concat{0}, {a, row}),
                   longer_b = body.wire_one("longer_b", Concat{0}, {b, slice});
    body.add_output("a_on", longer_a);
    body.add_output("b_on", longer_b);
    body.add_output("first", body.wire_one("first", Gather{0}, {longer_a, integers(0)}));
    body.add_output("last", body.wire_one("last", Gather{0}, {longer_b, integers(-1)}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {
        {LoopInput::Kind::invariant}, {LoopInput::Kind::carried}, {LoopInput::Kind::carried}};
    loop.outputs = {{LoopOutput::Kind::last, 0},
                    {LoopOutput::Kind::last, 1},
                    {LoopOutput::Kind::stacked, 2, 0, false},
                    {LoopOutput::Kind::stacked, 3, 0, false}};
    loop.has_trip_count = loop.numbered = true;
    const Dim n = Dim::symbol("N"), m = Dim::symbol("M");
    TypedModel model(loop.body->symbol_scope());
    const auto input = [&](std::string_view name, const Dim& size) {
      return model.add_source(name, float_fact(std::vector<Dim>{size}));
    };
    const OutletId rows = input("rows", m), a0 = input("a0", n), b0 = input("b0", n),
                   shape = model.wire_one("shape", ShapeOf{}, {rows}),
                   trips = model.wire_one("trips", Gather{0},
                                          {shape, model.constant("at", integer(0))});
    const OutletIds out = model.wire("loop", loop, {trips, rows, a0, b0});
    for (std::size_t k = 0; k < out.size(); ++k) model.add_output(cat("out", k), out[k]);
    CHECK(SymbolScope::is_fresh_name(*model.output_fact(0).shape[0].as_symbol()));
    const ValueList inputs{floats({1, 2, 4, 8, 16}), floats({-1, -2}), floats({-3, -4})};
    CHECK(declutter_and_compare(model, inputs, "scan_by_counter") == 1);
    for (const std::size_t k : {0, 1})
      CHECK(model.output_fact(k).shape[0].symbols() == std::vector<std::string>{"M", "N"});
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
