#include <doctest/doctest.h>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/loop.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "strata/opl/model.h"
#include "support/op_case.h"

namespace strata::opl {
namespace {

/// Sums of the rows of x, one after the other: `sum` is what came before, `twice` is not fed back.
std::string document(std::string_view scan) {
  return cat(R"(version 1.0;

extension tract_registry tract_core;
extension tract_symbol N;

fragment body(
    before: tensor<scalar>,
    i"the row": tensor<scalar>,
    bias: tensor<scalar>
) -> (sum: tensor<scalar>, twice: tensor<scalar>) {
    more = add(i"the row", bias);
    sum = add(before, more);
    twice = add(sum, sum);
}

graph network(x, first) -> (y, z) {
    x = tract_core_external(shape = [N, 2], datum_type = "f32");
    first = external(shape = [1, 2]);
    (y, z) = )",
             scan, ";\n}\n");
}

struct Rows {
  std::string_view scan = R"([("the row", x, 0, 1)])";
  std::string_view full = R"([("bias", [[0.5, 0.0]])])";
  std::string_view state = R"([("before", first, "sum")])";
  std::string_view output = R"([("sum", "full", 0, 1), ("sum", "last", 0, 1)])";
  std::string_view more = "";
};

std::string with(const Rows& rows) {
  return document(cat("tract_core_scan(body = \"body\", scan = ", rows.scan, ", full = ", rows.full,
                      ", state = ", rows.state, ", output = ", rows.output, rows.more, ")"));
}

ValueList run(const Rows& rows) {
  const Tensor x = Tensor::of<float>({3, 2}, {1, 10, 2, 20, 3, 30});
  const Tensor first = Tensor::of<float>({1, 2}, {100, 0});
  return run_model(from_text(with(rows)), ValueList{x, first});
}

void check(const Value& actual, const Shape& shape, std::vector<float> expected) {
  tests::check_close(actual.tensor(), Tensor::of<float>(shape, expected), 1e-6, 0);
}

std::string error_of(const Rows& rows) {
  try {
    from_text(with(rows));
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a scan gives a state after each step and after the last one") {
  const ValueList out = run({});
  check(out[0], {3, 2}, {101.5, 10, 104, 30, 107.5, 60});
  check(out[1], {1, 2}, {107.5, 60});
}

TEST_CASE("a scan goes backward where its steps are negative, on both sides") {
  Rows rows;
  rows.scan = R"([("the row", x, 0, -1)])";
  rows.output = R"([("sum", "full", 0, -1), ("sum", "full", 1, 1)])";
  // Twice as a stack is more than tract says by one row; each output stands for itself here.
  const ValueList out = run(rows);
  check(out[0], {3, 2}, {107.5, 60, 106, 50, 103.5, 30});
  check(out[1], {1, 6}, {103.5, 30, 106, 50, 107.5, 60});
}

TEST_CASE("the last value of a result that is no state") {
  Rows rows;
  rows.output =
      R"([("twice", "last", 0, 1), ("twice", "full", 0)])";  // older files leave the rows out
  const ValueList out = run(rows);
  check(out[0], {1, 2}, {215, 120});
  check(out[1], {3, 2}, {203, 20, 208, 60, 215, 120});
}

TEST_CASE("names that NNEF does not allow are found by tract's spelling of them") {
  std::string text = with({});
  for (auto at = text.find("i\"the row\""); at != std::string::npos; at = text.find("i\"the row\""))
    text.replace(at, 10, "the_row");
  CHECK(from_text(text).output_fact(0).shape.to_string() == "[N,2]");
}

TEST_CASE("of two names with one spelling, each is its own") {
  const auto given = [](std::string_view names) {
    std::string text(R"(version 1.0;
extension tract_registry tract_core;
fragment body(i"s.1": tensor<scalar>, s_1: tensor<scalar>, row: tensor<scalar>)
    -> (i"c.1": tensor<scalar>, c_1: tensor<scalar>) {
    i"c.1" = add(i"s.1", row);
    c_1 = mul(s_1, row);
}
graph network(x) -> (y, z) {
    x = external(shape = [3]);
    (y, z) = tract_core_scan(body = "body", scan = [("row", x, 0, 1)], full = [], state = )");
    return from_text(text.append(names).append(";\n}\n"));
  };
  constexpr const char* kStates[] = {R"([("s.1", [10.0], "c.1"), ("s_1", [1.0], "c_1")])",
                                     R"([("s_1", [1.0], "c_1"), ("s.1", [10.0], "c.1")])"};
  constexpr const char* kOutputs[] = {
      R"(, output = [("c.1", "last", 0, 1), ("c_1", "last", 0, 1)]))",
      R"(, output = [("c_1", "last", 0, 1), ("c.1", "last", 0, 1)]))"};
  for (const char* states : kStates)
    for (const char* outputs : kOutputs) {
      const ValueList out =
          run_model(given(cat(states, outputs)), ValueList{Tensor::of<float>({3}, {1, 2, 3})});
      const bool is_turned = outputs == kOutputs[1];
      check(out[is_turned ? 1 : 0], {1}, {16});
      check(out[is_turned ? 0 : 1], {1}, {6});
    }
}

TEST_CASE("what is wrong with a scan is told") {
  struct Case {
    Rows rows;
    const char* message;
  };
  const auto changed = [](auto Rows::*member, std::string_view text) {
    Rows rows;
    rows.*member = text;
    return rows;
  };
  const Case cases[] = {
      {changed(&Rows::full, "[]"), "nothing is bound to the parameter \"bias\" of body"},
      {changed(&Rows::scan, "[]"), "a scan over no input"},
      {changed(&Rows::scan, R"([("the row", x, 2, 1)])"), "slices of 1 along axis 2 of 2"},
      {changed(&Rows::scan, R"([("the row", x, 0, 0)])"), "slices of 0 along axis 0 of 2"},
      {changed(&Rows::scan, R"([("the row", x, 0)])"), "a tuple of 4 or more is wanted, not of 3"},
      {changed(&Rows::scan, "3"), "\"scan\" must be a list of tuples"},
      {changed(&Rows::state, R"([("before", first, "some")])"), "1 states and 0 next states"},
      {changed(&Rows::output, R"([("some", "full", 0, 1), ("sum", "last", 0, 1)])"),
       "body has no result \"some\""},
      {changed(&Rows::output, R"([("sum", "first", 0, 1), ("sum", "last", 0, 1)])"),
       "full or last is wanted, not \"first\""},
      {changed(&Rows::more, ", skip = 2"), "a scan that skips its first steps"},
  };
  for (const Case& each : cases) {
    const std::string actual = error_of(each.rows);
    INFO(actual);
    CHECK(actual.find(each.message) != std::string::npos);
    CHECK(actual.find("graph.nnef:") != std::string::npos);
  }
  std::string text = with({});
  text.replace(text.find("body = \"body\""), 13, "body = \"none\"");
  CHECK_THROWS_WITH_AS(from_text(text), doctest::Contains("no fragment is named \"none\""), Error);
}

TEST_CASE("a fragment that scans itself meets the limit") {
  CHECK_THROWS_WITH_AS(from_text(R"(version 1.0;
fragment body(row: tensor<scalar>) -> (y: tensor<scalar>) {
    y = tract_core_scan(body = "body", scan = [("row", row, 0, 1)], full = [], state = [], output = [("y", "full", 0, 1)]);
}
graph network(x) -> (y) {
    x = external(shape = [4]);
    y = tract_core_scan(body = "body", scan = [("row", x, 0, 1)], full = [], state = [], output = [("y", "full", 0, 1)]);
}
)"),
                       doctest::Contains("bodies nest deeper"), Error);
}

TEST_CASE("a loop over slices is written as tract's, and comes back byte for byte") {
  const std::string text = to_text(from_text(with({})));
  INFO(text);
  CHECK(text.find("tract_core_scan(body = ") != std::string::npos);
  CHECK(text.find("strata_loop") == std::string::npos);
  CHECK(text.find("reset_every_turn = 1") != std::string::npos);
  CHECK(to_text(from_text(text)) == text);
}

TEST_CASE("axes that count from the end are written from the front") {
  const std::string text = to_text(from_text(R"x(version 1.0;
extension tract_symbol N;
fragment body(h: tensor<scalar>, r: tensor<scalar>) -> (next: tensor<scalar>) {
    h = external(shape = [2, 1]);
    r = external(shape = [2, 1]);
    next = add(h, r);
}
graph network(s, x) -> (y) {
    s = external(shape = [2, 1]);
    x = tract_core_external(shape = [2, N], datum_type = "f32");
    y = strata_loop(s, x, body = "body", inputs = ["carried", "scanned(-1,1,1)"], outputs = ["stacked(0,-1,0)"]);
}
)x"));
  INFO(text);
  CHECK(text.find(R"(scan = [("r", x, 1, -1)])") != text.npos);
  CHECK(text.find(R"(output = [("next", "full", 1, 1)])") != text.npos);
  CHECK(to_text(from_text(text)) == text);
  const Tensor s = Tensor::of<float>({2, 1}, {100, 0}),
               x = Tensor::of<float>({2, 2}, {1, 2, 10, 20});
  check(run_model(from_text(text), ValueList{s, x})[0], {2, 2}, {102, 103, 20, 30});
}

TEST_CASE("two scans that share a body share its fragment") {
  std::string text = with({});
  const auto at = text.find("(y, z) = ");
  const std::string scan = text.substr(at + 9, text.find(";\n}\n", at) - at - 9);
  text.replace(at, std::string::npos, cat("(y, a) = ", scan, ";\n    (b, z) = ", scan, ";\n}\n"));
  const std::string again = to_text(from_text(text));
  CHECK(again.find("fragment ") == again.rfind("fragment "));
  CHECK(to_text(from_text(again)) == again);
}

TEST_CASE("a loop that tract has no form for keeps ours") {
  struct Row {
    const char* inputs;
    const char* outputs;
    const char* more;
  };
  const Row rows[] = {
      {R"x(["carried", "scanned(0,1,0)"])x", R"x(["stacked(0,0,0)", "stacked(0,0,0)"])x", ""},
      {R"x(["carried", "invariant"])x", R"x(["stacked(0,0,0)", "last(0)"])x",
       ", has_trip_count = true"},
  };
  for (const Row& row : rows) {
    const bool counts = std::string_view(row.more) != "";
    const std::string text =
        cat(R"(version 1.0;
fragment body(h: tensor<scalar>, r: tensor<scalar>) -> (next: tensor<scalar>) {
    h = external(shape = [1]);
    r = external(shape = [1]);
    next = add(h, r);
}
graph network(x, s) -> (y, z) {
    x = external(shape = [)",
            counts ? "1" : "3", R"(]);
    s = external(shape = [1]);
    (y, z) = strata_loop()",
            counts ? "2, " : "", "s, x, body = \"body\", inputs = ", row.inputs,
            ", outputs = ", row.outputs, row.more, ");\n}\n");
    const std::string written = to_text(from_text(text));
    INFO(written);
    CHECK(written.find("strata_loop(") != std::string::npos);
    CHECK(written.find("tract_core_scan(") == std::string::npos);
  }
}

TEST_CASE(
    "a loop over slices whose body reads a stack of unknown length keeps ours, which declares it") {
  TypedModel model;
  const auto fact = [&](Dim rows) { return Fact::tensor(DatumType::f32, {{std::move(rows), 2}}); };
  const OutletId x = model.add_source("x", fact(Dim::symbol("N"))),
                 stack = model.add_source("stack", fact(Dim::symbol("u0")));
  auto body = std::make_shared<TypedModel>(model.symbol_scope());
  const OutletId row = body->add_source("row", fact(1)),
                 all = body->add_source("all", fact(Dim::symbol("u0")));
  body->add_output("more", body->wire_one("more", Binary{BinaryOp::add}, {row, all}));
  strata::Loop loop;
  loop.body = body;
  loop.inputs = {{LoopInput::Kind::scanned, 0, 1}, {LoopInput::Kind::invariant}};
  loop.outputs = {{LoopOutput::Kind::stacked, 0}};
  model.add_output("y", model.wire_one("y", loop, {x, stack}));
  CHECK(to_text(model).find("strata_loop(") != std::string::npos);
}

TEST_CASE("a loop over slices of sizes that its reader cannot know comes back byte for byte") {
  TypedModel model;
  const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, {{Dim::symbol("N")}})),
                 shape = model.add_source("shape", Fact::tensor(DatumType::i64, Shape{2}));
  const OutletId rows = model.wire_one("rows", Reshape{}, {x, shape});
  // As a product with a matrix of three rows tells it.
  const Dim count = model.fact(rows).shape[0];
  model.set_fact(rows, Fact::tensor(DatumType::f32, {{count, 3}}));
  auto body = std::make_shared<TypedModel>(model.symbol_scope());
  const OutletId row = body->add_source("row", Fact::tensor(DatumType::f32, Shape{1, 3}));
  body->add_output("twice", body->wire_one("twice", Binary{BinaryOp::add}, {row, row}));
  strata::Loop loop;
  loop.body = body;
  loop.inputs = {{LoopInput::Kind::scanned, 0, 1}};
  loop.outputs = {{LoopOutput::Kind::stacked, 0}};
  model.add_output("y", model.wire_one("y", loop, {rows}));
  const std::string text = to_text(model);
  INFO(text);
  CHECK(to_text(from_text(text)) == text);
  const ValueList inputs{Tensor::of<float>({6}, {1, 2, 3, 4, 5, 6}),
                         Tensor::of<std::int64_t>({2}, {2, 3})};
  check(run_model(from_text(text), inputs)[0], {2, 3}, {2, 4, 6, 8, 10, 12});
}

TEST_CASE("a loop whose body cannot work is refused where its text could not be read again") {
  TypedModel model = from_text(R"x(version 1.0;
fragment step(v: tensor<scalar>, k: tensor<integer>) -> (w: tensor<scalar>) {
    v = external(shape = [2]);
    k = tract_core_external(shape = [], datum_type = "i64");
    row = tract_core_gather([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], add(k, k), axis = 0);
    w = add(v, row);
}
graph network(n, s) -> (y) {
    n = tract_core_external(shape = [], datum_type = "i64");
    s = external(shape = [2]);
    y = strata_loop(n, s, 7, body = "step", inputs = ["carried", "invariant"], outputs = ["last(0)"], has_trip_count = true);
}
)x");
  declutter(model);  // brings 7 into the body
  const ValueList inputs{Tensor::scalar(std::int64_t{0}), Tensor::of<float>({2}, {3, 4})};
  check(run_model(model, inputs)[0], {2}, {3, 4});
  CHECK_THROWS_WITH_AS(to_text(model), doctest::Contains("index 14 is outside an axis of 9"),
                       Error);
}

}  // namespace strata::opl
