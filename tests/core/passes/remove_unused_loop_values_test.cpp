#include <doctest/doctest.h>

#include "support/loop_model.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// Carried: a sum of x, and a product of y and the factor that the sum knows nothing of. Outputs:
/// both, and all products.
TypedModel sum_and_product(const std::vector<std::size_t>& read) {
  TypedModel body;
  const Fact one = float_fact(Shape{1});
  body.add_source("number", Fact::tensor(DatumType::i64, Shape{}));
  const OutletId sum = body.add_source("sum", one), product = body.add_source("product", one);
  const OutletId x = body.add_source("x", one), y = body.add_source("y", one),
                 factor = body.add_source("factor", one);
  const OutletId scaled = body.wire_one("scaled", Binary{BinaryOp::mul}, {product, factor});
  const OutletId next = body.wire_one("next", Binary{BinaryOp::mul}, {scaled, y});
  body.add_output("sum_on", body.wire_one("add", Binary{BinaryOp::add}, {sum, x}));
  body.add_output("product_on", next);
  body.add_output("row", next);
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.numbered = true;
  loop.inputs = {{LoopInput::Kind::carried},
                 {LoopInput::Kind::carried},
                 kScanned,
                 kScanned,
                 {LoopInput::Kind::invariant}};
  loop.outputs = {
      {LoopOutput::Kind::last, 0}, {LoopOutput::Kind::last, 1}, {LoopOutput::Kind::stacked, 2, 0}};
  return model_of(loop, {one, one, float_fact(Shape{3}), float_fact(Shape{3}), one}, read);
}

const ValueList kInputs{floats({0}), floats({1}), floats({1, 2, 3}), floats({4, 5, 6}),
                        floats({2})};

}  // namespace

TEST_SUITE("remove unused loop values") {
  TEST_CASE("a loop may carry thousands of values") {
    constexpr std::size_t kCount = 40'000;
    TypedModel body;
    OutletIds next;
    for (std::size_t i = 0; i < kCount; ++i) {
      const OutletId value = body.add_source(cat("x", i), float_fact(Shape{1}));
      next.push_back(body.wire_one(cat("sum", i), Binary{BinaryOp::add}, {value, value}));
    }
    for (const OutletId wire : next) body.add_output(cat("next", wire.node), wire);
    Loop loop;
    loop.has_trip_count = true;
    loop.inputs.assign(kCount, {LoopInput::Kind::carried});
    for (std::size_t i = 0; i < kCount; ++i)
      loop.outputs.push_back({LoopOutput::Kind::last, static_cast<std::int64_t>(i)});
    loop.body = std::make_shared<TypedModel>(std::move(body));
    std::vector<Fact> operands(kCount + 1, float_fact(Shape{1}));
    operands[0] = Fact::tensor(DatumType::i64, Shape{});
    TypedModel model = model_of(loop, operands, {0});
    const RewriteReport report = declutter(model, without_unrolling());
    CHECK(firings_of(report, "remove_unused_loop_values") == 1);
    REQUIRE(loop_of(model) != nullptr);
    CHECK(loop_of(model)->inputs.size() == 1);
  }

  TEST_CASE("what only an unread output depends on goes, and so does an unread iteration number") {
    TypedModel model = sum_and_product({0});
    CHECK(declutter_and_compare(model, kInputs, "remove_unused_loop_values") == 1);
    REQUIRE(loop_of(model) != nullptr);
    CHECK(loop_of(model)->inputs == std::vector<LoopInput>{{LoopInput::Kind::carried}, kScanned});
    CHECK(loop_of(model)->outputs.size() == 1);
    CHECK_FALSE(loop_of(model)->numbered);
  }

  TEST_CASE("a carried value stays where a stacked output depends on it") {
    TypedModel model = sum_and_product({2});
    CHECK(declutter_and_compare(model, kInputs, "remove_unused_loop_values") == 1);
    REQUIRE(loop_of(model) != nullptr);
    CHECK(loop_of(model)->inputs == std::vector<LoopInput>{{LoopInput::Kind::carried},
                                                           kScanned,
                                                           {LoopInput::Kind::invariant}});
  }

  TEST_CASE("the last scanned input stays: it tells the number of trips") {
    TypedModel body;
    const Fact one = float_fact(Shape{1});
    const OutletId sum = body.add_source("sum", one);
    body.add_source("x", one);
    body.add_output("sum_on", body.wire_one("add", Binary{BinaryOp::add}, {sum, sum}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{LoopInput::Kind::carried}, kScanned};
    loop.outputs = {{LoopOutput::Kind::last, 0}};
    TypedModel model = model_of(loop, {one, float_fact(Shape{3})}, {0});
    CHECK(declutter_and_compare(model, {floats({1}), floats({0, 0, 0})},
                                "remove_unused_loop_values") == 0);
  }

  TEST_CASE("where everything is read, all stays but the iteration number") {
    TypedModel model = sum_and_product({0, 1, 2});
    declutter_and_compare(model, kInputs, "remove_unused_loop_values");
    REQUIRE(loop_of(model) != nullptr);
    CHECK(loop_of(model)->inputs.size() == 5);
    CHECK(loop_of(model)->outputs.size() == 3);
  }
}
