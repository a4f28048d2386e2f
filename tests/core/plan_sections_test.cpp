#include "plan_sections.h"

#include <doctest/doctest.h>

#include "frame_sizes.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/compress.h"
#include "strata/core/ops/sequence_at.h"
#include "strata/core/ops/sequence_construct.h"
#include "strata/core/transform.h"
#include "support/allocations.h"
#include "support/counting_ops.h"

using namespace strata;
using namespace strata::tests;

namespace {

Fact vector_of(DatumType type, std::string_view size) {
  return Fact::tensor(type, std::vector<Dim>{Dim::symbol(size)});
}

Tensor floats(std::initializer_list<float> values) {
  return Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}

OutletId incremented(TypedModel& model, OutletId wire, std::size_t times) {
  for (std::size_t i = 0; i < times; ++i) wire = model.wire_one("step", IncrementKernel{}, {wire});
  return wire;
}

/// (x + `before`, (x + `before`)[keep] + `after`): only the data tell how many are kept.
TypedModel chosen(std::size_t before, std::size_t after) {
  TypedModel model;
  const OutletId x = model.add_source("x", vector_of(DatumType::f32, "N")),
                 keep = model.add_source("keep", vector_of(DatumType::boolean, "N")),
                 all = incremented(model, x, before);
  model.add_output("all", all);
  model.add_output("some",
                   incremented(model, model.wire_one("some", Compress{0}, {all, keep}), after));
  return model;
}

Tensor flags(std::initializer_list<bool> values) {
  MutableTensor out(DatumType::boolean, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), out.as<bool>().begin());
  return std::move(out).freeze();
}

/// x[N], y[M] -> x + y + 1, where x and y came by way of a sequence, and the model says that N is
/// M.
TypedModel sum_of_items() {
  TypedModel model;
  const OutletId first = model.constant("first", Tensor::scalar<std::int64_t>(0));
  OutletIds items;
  for (const std::string_view name : {"x", "y"}) {
    const OutletId input = model.add_source(name, vector_of(DatumType::f32, name));
    const OutletId sequence = model.wire_one("sequence", SequenceConstruct{}, {input});
    items.push_back(model.wire_one("item", SequenceAt{}, {sequence, first}));
    model.set_fact(items.back(), vector_of(DatumType::f32, "L"));
  }
  const OutletId sum = model.wire_one("sum", Binary{BinaryOp::add}, items);
  model.add_output("y", incremented(model, sum, 1));
  optimise(model);
  return model;
}

}  // namespace

TEST_SUITE("plan sections") {
  TEST_CASE("a plan is cut where only the data tell a size") {
    const auto plan = Plan::build(chosen(3, 2));
    const auto sections = sections_of(*plan);
    REQUIRE(sections.size() == 2);
    CHECK((sections[0].first == 0 && sections[0].end == 3));
    CHECK((sections[1].first == 4 && sections[1].end == 6));
    const TypedModel& before = sections[0].plan->model();
    CHECK((before.inputs().size() == 1 && before.outputs().size() == 1));
    CHECK(before.input_fact(0).shape.to_string() == "[N]");
  }

  TEST_CASE("a plan that is one section has none, nor has a lone step") {
    TypedModel told;
    told.add_output("y",
                    incremented(told, told.add_source("x", vector_of(DatumType::f32, "N")), 3));
    CHECK(sections_of(*Plan::build(told)).empty());
    CHECK(sections_of(*Plan::build(chosen(1, 1))).empty());
  }

  TEST_CASE("what runs in sections gives what its steps give, for each size anew") {
    Session session(Plan::build(chosen(3, 2)));
    const ValueList two{floats({1, 2}), flags({true, false})},
        four{floats({1, 2, 3, 4}), flags({false, true, true, true})},
        none{floats({7}), flags({false})};
    for (int turn = 0; turn < 2; ++turn) {
      const ValueList of_two = session.run(two), of_four = session.run(four);
      const ValueList of_none = session.run(none);
      CHECK((of_two[0] == Value(floats({4, 5})) && of_two[1] == Value(floats({6}))));
      CHECK((of_four[0] == Value(floats({4, 5, 6, 7})) && of_four[1] == Value(floats({7, 8, 9}))));
      CHECK((of_none[0] == Value(floats({10})) && of_none[1] == Value(floats({}))));
    }
  }

  TEST_CASE("a frame finds out that its sizes follow from no shapes") {
    const auto depends = [](TypedModel model, std::initializer_list<Shape> inputs) {
      const auto plan = Plan::build(std::move(model));
      const FrameValues values(*plan);
      FrameSizes sizes(values);
      CHECK_FALSE(sizes.depend_on_data());
      const bool is_found = sizes.find(std::vector<Shape>(inputs));
      CHECK(is_found != sizes.depend_on_data());
      return sizes.depend_on_data();
    };
    CHECK(depends(chosen(1, 1), {Shape{3}, Shape{3}}));
    TypedModel told;
    told.add_output("y",
                    incremented(told, told.add_source("x", vector_of(DatumType::f32, "N")), 3));
    CHECK_FALSE(depends(std::move(told), {Shape{3}}));
  }

  TEST_CASE("a size that cannot be computed for some shapes may be for others") {
    TypedModel model;
    const OutletId x = model.add_source("x", vector_of(DatumType::f32, "N")),
                   keep = model.add_source("keep", vector_of(DatumType::boolean, "M")),
                   some = model.wire_one("some", Compress{0}, {x, keep});
    const std::vector<Dim> part{floor_div(Dim::symbol("N"), Dim::symbol("M"))};
    model.set_fact(some, Fact::tensor(DatumType::f32, part));
    model.add_output("y", some);
    const auto plan = Plan::build(std::move(model));
    const FrameValues values(*plan);
    FrameSizes sizes(values);
    CHECK_FALSE(sizes.find(std::vector<Shape>{Shape{6}, Shape{0}}));
    CHECK_FALSE(sizes.depend_on_data());
    CHECK(sizes.find(std::vector<Shape>{Shape{6}, Shape{3}}));
    CHECK(sizes.shape_of(plan->schedule().outputs[0]) == Shape{2});
  }

  TEST_CASE("a warm run allocates no more for longer sections") {
    const ValueList in{floats({1, 2}), flags({true, false})};
    const auto in_a_run = [&](std::size_t length) {
      Session session(Plan::build(chosen(length, length)));
      for (int i = 0; i < 3; ++i) (void)session.run(in);
      const std::size_t before = allocations();
      (void)session.run(in);
      return allocations() - before;
    };
    CHECK(in_a_run(2) == in_a_run(50));
  }

  TEST_CASE("what a section makes has the sizes that the inputs of the model tell") {
    TypedModel model;
    const OutletId x = model.add_source("x", vector_of(DatumType::f32, "M")),
                   keep = model.add_source("keep", vector_of(DatumType::boolean, "M")),
                   like = model.add_source("like", vector_of(DatumType::f32, "N"));
    const OutletId some = model.wire_one("some", Compress{0}, {x, keep});
    const OutletId last = incremented(model, some, 2);
    model.set_fact(last, model.fact(like));
    model.add_output("y", last);
    Session session(Plan::build(std::move(model)));
    const auto run = [&](const Tensor& like) {
      const ValueList inputs{floats({1, 2, 3}), flags({true, false, true}), like};
      return session.run(inputs)[0].tensor();
    };
    CHECK(run(floats({0, 0})) == floats({3, 5}));
    CHECK_THROWS_WITH_AS(run(floats({0})), doctest::Contains("f32[2], the model says f32[1]"),
                         Error);
  }

  TEST_CASE("sizes that are said to be alike are looked at") {
    Session session(Plan::build(sum_of_items()));
    const ValueList fitting{floats({1, 2}), floats({3, 4})},
        others{floats({1, 2}), floats({1, 2, 3})};
    for (int turn = 0; turn < 2; ++turn) {
      CHECK((session.run(fitting)[0] == Value(floats({5, 7}))));
      CHECK_THROWS_WITH_AS(session.run(others), doctest::Contains("sum"), Error);
    }
  }
}
