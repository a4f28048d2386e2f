#include <doctest/doctest.h>

#include <algorithm>

#include "deferred_tensor.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/transpose.h"
#include "support/counting_ops.h"
#include "support/if_model.h"
#include "support/models.h"
#include "support/optimised.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// An op whose rule always fails.
struct Failing {
  static constexpr std::string_view name = "Failing";
  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const { return {in[0].without_value()}; }
  TensorList eval(Tensors in) const { return {in[0]}; }
  Rewrite declutter(const NodeView&) const { fail(ErrorKind::invalid_model, "no such rule"); }
  Rewrite lower(const NodeView&, const Target&) const {
    fail(ErrorKind::unsupported, "no such kernel");
  }
};
static_assert(OpDef<Failing>);

/// An op that a rule finds not to fit its input.
struct Unfit {
  static constexpr std::string_view name = "Unfit";
  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const { return {in[0].without_value()}; }
  TensorList eval(Tensors in) const { return {in[0]}; }
  Rewrite declutter(const NodeView& node) const { return fail_at(node); }
  Rewrite lower(const NodeView& node, const Target&) const { return fail_at(node); }

 private:
  static Rewrite fail_at(const NodeView&) { fail(ErrorKind::invalid_model, "it does not fit"); }
};
static_assert(OpDef<Unfit>);

/// y = Unfit(Concat(Transpose(x), x)), where nothing is transposed
TypedModel unfit_model() {
  TypedModel model;
  const OutletId x = model.add_source("x", float_fact(Shape{1}));
  const OutletId same = model.wire_one("same", Transpose{{0}}, {x});
  model.add_output("y",
                   model.wire_one("y", Unfit{}, {model.wire_one("joined", Concat{0}, {same, x})}));
  return model;
}

/// y = Failing "inner"(x).
/// More floats than are worked out while an op is wired.
constexpr std::size_t kMany = 9;
Tensor all(float value) { return Tensor::vector<float>(std::vector<float>(kMany, value)); }

TypedModel failing_model() {
  TypedModel model;
  const OutletId x = model.add_source("x", float_fact(Shape{1}));
  model.add_output("y", model.wire_one("inner", Failing{}, {x}));
  return model;
}

}  // namespace

TEST_SUITE("declutter") {
  TEST_CASE("nodes that read the same are told apart by their attributes") {
    constexpr int kCount = 60'000;
    TypedModel model;
    const OutletId x = model.add_source("x", float_fact(Shape{1}));
    OutletIds bent;
    for (int i = 0; i < kCount; ++i)
      bent.push_back(model.wire_one(
          cat("bent", i), Activation{ActivationKind::elu, static_cast<float>(i / 2)}, {x}));
    model.add_output("y", model.wire_one("joined", Concat{0}, bent));
    declutter(model);
    CHECK(count_of<Activation>(model) == kCount / 2);
    CHECK(run_model(model, ValueList{floats({2})})[0].tensor().size() == kCount);
  }

  TEST_CASE("an op of constants is folded") {
    TypedModel model;
    const OutletId x = model.add_source("x", float_fact(Shape{1}));
    const OutletId two = model.wire_one("two", Increment{}, {model.constant("ones", all(1))});
    model.add_output("y", model.wire_one("y", Binary{BinaryOp::add}, {x, two}));
    CHECK(declutter(model).firings.at("fold_constants") == 1);
    REQUIRE(model.live_nodes() == 3);
    const Value one = floats({1});
    CHECK((run_model(model, {&one, 1})[0] == Value(all(3))));
  }

  TEST_CASE("a constant too large for the budget is not folded") {
    TypedModel model;
    model.add_output("y", model.wire_one("y", Increment{}, {model.constant("ones", all(1))}));
    Limits limits;
    limits.fold_bytes = 2;
    CHECK_FALSE(declutter(model, limits).firings.contains("fold_constants"));
  }

  TEST_CASE("a product of constants that takes long is left to the run") {
    for (const std::int64_t width : {8, 1500}) {
      TypedModel model;
      const OutletId one = model.constant("one", Tensor::scalar(1.0F));
      const OutletId sizes = model.constant("sizes", Tensor::of<std::int64_t>({2}, {width, width}));
      const OutletId square = model.wire_one("square", Expand{}, {one, sizes});
      model.add_output("y", model.wire_one("product", MatMul{}, {square, square}));
      declutter(model);
      CHECK((model.output_fact(0).constant() != nullptr) == (width == 8));
    }
  }

  TEST_CASE("large constants that are only moved are moved when somebody reads them") {
    MutableTensor counted(DatumType::f32, {2, 1000});
    for (std::size_t i = 0; i < 2000; ++i) counted.as<float>()[i] = static_cast<float>(i);
    TypedModel model;
    const OutletId wide = model.constant("wide", std::move(counted).freeze());
    const OutletId high = model.wire_one("high", Transpose{}, {wide}),
                   twin = model.wire_one("twin", Transpose{}, {wide});
    model.add_output("y", model.wire_one("y", Concat{1}, {high, twin}));
    const RewriteReport report = declutter(model);
    CHECK(report.firings.contains("fold_constants"));
    REQUIRE(model.live_nodes() == 1);
    const Tensor& folded = *model.output_fact(0).constant();
    CHECK(is_deferred(folded));
    CHECK(folded.shape() == Shape{1000, 4});
    const auto elements = folded.as<float>();
    CHECK(elements[0] == 0);
    CHECK(elements[1] == 1000);
    CHECK(elements[2] == 0);
    CHECK(elements[4] == 1);
    CHECK(elements[3999] == 1999);
  }

  TEST_CASE("a constant is spread over a large shape when somebody reads it") {
    for (const Tensor& narrow : {Tensor::scalar(0.5F), Tensor::of<float>({2, 1}, {0.5F, 3})}) {
      CAPTURE(narrow);
      TypedModel model;
      const OutletId x = model.constant("x", narrow),
                     shape = model.constant("shape", Tensor::of<std::int64_t>({2}, {2, 1000}));
      model.add_output("y", model.wire_one("y", Expand{}, {x, shape}));
      CHECK(declutter(model).firings.contains("fold_constants"));
      const Tensor& folded = *model.output_fact(0).constant();
      CHECK(is_deferred(folded));
      CHECK(folded.shape() == Shape{2, 1000});
      const auto elements = folded.as<float>();
      CHECK(std::count(elements.begin(), elements.begin() + 1000, 0.5F) == 1000);
      CHECK(std::count(elements.begin() + 1000, elements.end(), narrow.size() == 1 ? 0.5F : 3) ==
            1000);
    }
  }

  TEST_CASE("equal constants are merged before somebody reads them") {
    TypedModel model;
    const OutletId zeros =
        model.constant("zeros", MutableTensor::zeros(DatumType::f32, {2, 1000}).freeze());
    model.add_output("a", model.wire_one("a", Transpose{}, {zeros}));
    model.add_output("b", model.wire_one("b", Transpose{{1, 0}}, {zeros}));
    model.add_output("c", model.wire_one("c", Transpose{}, {zeros}));
    declutter(model);
    CHECK(model.outputs()[0].outlet == model.outputs()[2].outlet);
    CHECK(is_deferred(*model.output_fact(0).constant()));
  }

  TEST_CASE("constants moved in different orders of many axes stay apart") {
    const Shape shape{2, 2, 1, 1, 1, 1, 1, 1, 32, 32};
    MutableTensor counted(DatumType::f32, shape);
    for (std::size_t i = 0; i < 4096; ++i) counted.as<float>()[i] = static_cast<float>(i);
    TypedModel model;
    const OutletId x = model.constant("x", std::move(counted).freeze());
    const Transpose rows{{1, 0, 2, 3, 4, 5, 6, 7, 8, 9}}, columns{{1, 0, 2, 3, 4, 5, 6, 7, 9, 8}};
    model.add_output("rows", model.wire_one("rows", rows, {x}));
    model.add_output("columns", model.wire_one("columns", columns, {x}));
    declutter(model);
    CHECK(model.output_fact(0).constant()->as<float>()[1] == 1);
    CHECK(model.output_fact(1).constant()->as<float>()[1] == 32);
  }

  TEST_CASE("constants moved many times are computed in between") {
    MutableTensor counted(DatumType::f32, {2, 1024});
    for (std::size_t i = 0; i < 2048; ++i) counted.as<float>()[i] = static_cast<float>(i);
    TypedModel model;
    OutletId last = model.constant("x", std::move(counted).freeze());
    const OutletId one = model.constant("one", Tensor::of<std::int64_t>({1}, {1})),
                   three = model.constant("three", Tensor::of<std::int64_t>({1}, {3})),
                   axis = model.constant("axis", Tensor::of<std::int64_t>({1}, {0}));
    for (int i = 0; i < 25; ++i) {  // rows [a, b] become [b, a]
      last = model.wire_one(cat("twice", i), Concat{0}, {last, last});
      last = model.wire_one(cat("rows", i), Slice{}, {last, one, three, axis, one});
    }
    model.add_output("y", last);
    declutter(model);
    REQUIRE(model.live_nodes() == 1);
    const Tensor& folded = *model.output_fact(0).constant();
    CHECK(recipe_count(folded) <= kMostRecipes);
    CHECK(folded.as<float>()[0] == 1024);
    CHECK(folded.as<float>()[1024] == 0);
  }

  TEST_CASE("a number repeated many times is small in a file, and computed before it runs") {
    TypedModel model;
    const OutletId wide =
        model.wire_one("wide", Expand{},
                       {model.constant("one", floats({1})),
                        model.constant("shape", Tensor::of<std::int64_t>({2}, {1024, 1024}))});
    model.add_output("wide", wide);
    CHECK_FALSE(declutter(model).firings.contains("fold_constants"));
    TypedModel frugal = model;
    Limits limits;
    limits.fold_bytes = 1 << 20;
    CHECK_FALSE(optimise(frugal, {}, limits).firings.contains("fold_large_constants"));
    CHECK(optimise(model).firings.at("fold_large_constants") == 1);
    CHECK(run_model(model, {})[0].tensor().as<float>()[1024 * 1024 - 1] == 1);
  }

  TEST_CASE("equal nodes are merged") {
    TypedModel model;
    const OutletId x = model.add_source("x", float_fact(Shape{1}));
    const OutletId a = model.wire_one("a", Increment{}, {x}),
                   b = model.wire_one("b", Increment{}, {x});
    model.add_output("y", model.wire_one("y", Concat{0}, {a, b}));
    CHECK(declutter(model).firings.at("merge_equal_nodes") == 1);
    CHECK(model.live_nodes() == 3);
  }

  TEST_CASE("nodes that give the same sizes are merged, whatever they read them of") {
    TypedModel model;
    const Dim n = Dim::symbol("N"), m = Dim::symbol("M");
    const OutletId a = model.add_source("a", float_fact(ShapeFact({n, 2}))),
                   b = model.add_source("b", float_fact(ShapeFact({3, n}))),
                   c = model.add_source("c", float_fact(ShapeFact({m, 4})));
    const auto size = [&](std::string_view name, OutletId x, std::int64_t axis) {
      return model.wire_one(name, ShapeOf{axis, axis + 1}, {x});
    };
    model.add_output("of_a", size("of_a", a, 0));
    model.add_output("of_b", size("of_b", b, 1));
    model.add_output("of_c", size("of_c", c, 0));
    CHECK(declutter(model).firings.at("merge_equal_nodes") == 1);
    CHECK(model.outputs()[0].outlet == model.outputs()[1].outlet);
    CHECK(model.outputs()[0].outlet != model.outputs()[2].outlet);
    const ValueList x{uniform_floats({7, 2}), uniform_floats({3, 7}), uniform_floats({5, 4})};
    const auto sizes = run_model(model, x);
    CHECK(sizes[1].tensor() == Tensor::vector<std::int64_t>({{7}}));
    CHECK(sizes[2].tensor() == Tensor::vector<std::int64_t>({{5}}));
  }

  TEST_CASE("sizes that only a merged node read are no longer there for others") {
    TypedModel model;
    const Dim n = Dim::symbol("N");
    const auto source = [&](std::string_view name) {
      return model.add_source(name, float_fact(ShapeFact({n, 2})));
    };
    const OutletId a = source("a"), b = source("b"), c = source("c");
    const OutletId both = model.wire_one("both", ShapeOf{}, {a});
    const OutletId first = model.wire_one("first", ShapeOf{0, 1}, {b});
    const OutletId two = model.constant("two", Tensor::vector<std::int64_t>({{2}}));
    model.add_output("both", both);
    model.add_output("joined", model.wire_one("joined", Concat{0}, {first, two}));
    model.add_output("third", model.wire_one("third", ShapeOf{0, 1}, {c}));
    CHECK(declutter(model).firings.at("merge_equal_nodes") == 1);
    const Tensor x = uniform_floats({7, 2});
    const auto sizes = run_model(model, ValueList{x, x, x});
    CHECK(sizes[1].tensor() == Tensor::vector<std::int64_t>({{7, 2}}));
    CHECK(sizes[2].tensor() == Tensor::vector<std::int64_t>({{7}}));
  }

  TEST_CASE("large constants that only merged nodes needed are no longer there for others") {
    TypedModel model;
    const OutletId x = model.add_source("x", float_fact(ShapeFact({Dim::symbol("N"), 8})));
    const auto large = [&](std::string_view name, const Shape& shape) {
      return model.constant(name, uniform_floats(shape));
    };
    model.add_output("rows", model.wire_one("rows", ShapeOf{0, 1}, {x}));
    const OutletId product = model.wire_one("product", MatMul{}, {x, large("w", {8, 400})});
    model.add_output("same", model.wire_one("same", ShapeOf{0, 1}, {product}));
    model.add_output("y", model.wire_one("y", MatMul{}, {x, large("v", {8, 400})}));
    CHECK(declutter(model).firings.at("merge_equal_nodes") == 1);
    CHECK(model.live_nodes() == 4);  // x, its rows, v and y
    CHECK(run_model(model, ValueList{uniform_floats({7, 8})})[1].tensor() ==
          Tensor::vector<std::int64_t>({{7}}));
  }

  TEST_CASE("large constants that are alike in their middle are merged with their equals alone") {
    TypedModel model;
    const OutletId x = model.add_source("x", float_fact(Shape{400}));
    const std::vector<float> firsts{1, 2, 3, 2, 1, 3, 2};
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      std::vector<float> numbers(400, 0);
      numbers[0] = firsts[i];
      const OutletId bias = model.constant(cat("bias", i), Tensor::vector<float>(numbers));
      model.add_output(cat("y", i),
                       model.wire_one(cat("sum", i), Binary{BinaryOp::add}, {x, bias}));
    }
    CHECK(declutter(model).firings.at("merge_equal_nodes") == 8);  // four constants and their sums
    CHECK(model.live_nodes() == 7);
    const auto sums = run_model(model, ValueList{MutableTensor::zeros(DatumType::f32, {400})});
    for (std::size_t i = 0; i < firsts.size(); ++i)
      CHECK(sums[i].tensor().as<float>()[0] == firsts[i]);
  }

  TEST_CASE("a body that another model has too is rewritten in a copy") {
    TypedModel sums, pair;
    const OutletId x = sums.add_source("x", float_fact(Shape{1}));
    const OutletId a = sums.wire_one("a", Increment{}, {x}),
                   b = sums.wire_one("b", Increment{}, {x});
    sums.add_output("y", sums.wire_one("y", Concat{0}, {a, b}));
    const OutletId z = pair.add_source("x", float_fact(Shape{1}));
    pair.add_output("y", pair.wire_one("y", Concat{0}, {z, z}));
    TypedModel model =
        choice(std::make_shared<TypedModel>(std::move(sums)),
               std::make_shared<TypedModel>(std::move(pair)), {float_fact(Shape{1})});
    const TypedModel before = model;
    CHECK(declutter(model).firings.at("merge_equal_nodes") == 1);
    CHECK(computed_nodes(*if_of(before)->then_body) == 3);
    CHECK(computed_nodes(*if_of(model)->then_body) == 2);
    const TypedModel portable = model;
    optimise(model);
    CHECK(count_of_op(*if_of(portable)->then_body, "Concat") == 1);
    CHECK(count_of_op(*if_of(model)->then_body, "Concat") == 0);
  }

  TEST_CASE("a body that rules find unfit stays as it was, with kernels before what does not fit") {
    TypedModel pair;
    const OutletId x = pair.add_source("x", float_fact(Shape{1}));
    pair.add_output("y", pair.wire_one("y", Concat{0}, {x, x}));
    TypedModel model =
        choice(std::make_shared<TypedModel>(unfit_model()),
               std::make_shared<TypedModel>(std::move(pair)), {float_fact(Shape{1})});
    declutter(model);
    CHECK(count_of_op(*if_of(model)->then_body, "Transpose") == 1);
    optimise(model);
    const TypedModel& lowered = *if_of(model)->then_body;
    CHECK(count_of_op(lowered, "Transpose") == 0);
    CHECK(count_of_op(lowered, "Concat") == 0);
    CHECK(count_of_op(lowered, "Unfit") == 1);
    CHECK(lowered.live_nodes() == lowered.nodes().size());
  }

  TEST_CASE("an error of a rule names the node that it looked at, and the nodes around it") {
    TypedModel failing = failing_model();
    CHECK_THROWS_WITH_AS(declutter(failing), "no such rule\n  in Failing \"inner\"", Error);
    CHECK_THROWS_WITH_AS(optimise(failing), "no such kernel\n  in Failing \"inner\"", Error);
    const auto body = std::make_shared<TypedModel>(failing_model());
    TypedModel model = choice(body, body, {float_fact(Shape{1})});
    CHECK_THROWS_WITH_AS(optimise(model), "no such kernel\n  in Failing \"inner\"\n  in If \"if\"",
                         Error);
    CHECK(if_of(model)->then_body == body);
  }

  TEST_CASE("what no output needs goes, inputs stay") {
    TypedModel model;
    const OutletId x = model.add_source("x", float_fact(Shape{1}));
    model.add_source("unused", float_fact(Shape{1}));
    model.wire_one("dead", Increment{}, {x});
    model.add_output("y", x);
    declutter(model);
    CHECK(model.live_nodes() == 2);
    CHECK(model.inputs().size() == 2);
  }

  TEST_CASE("decluttering twice changes nothing more") {
    TypedModel model = running_sum_model(Shape{3}, kScanned, kStacked);
    declutter(model);
    const std::size_t nodes = model.live_nodes();
    CHECK(declutter(model).firings.empty());
    CHECK(model.live_nodes() == nodes);
  }
}
