#include "strata/core/ops/pad.h"

#include <doctest/doctest.h>

#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("pad") {
  TEST_CASE("pad fills with a constant, mirrored elements, the edge or the data again") {
    check_op(Pad{},
             {Tensor::of<float>({1, 2}, {1, 2}), Tensor::of<std::int64_t>({4}, {0, 1, 0, 1}),
              Tensor::scalar(9.0f)},
             {Tensor::of<float>({1, 4}, {9, 1, 2, 9})});
    check_op(Pad{PadMode::reflect},
             {Tensor::of<float>({3}, {1, 2, 3}), Tensor::of<std::int64_t>({2}, {2, 1})},
             {Tensor::of<float>({6}, {3, 2, 1, 2, 3, 2})});
    check_op(Pad{PadMode::edge},
             {Tensor::of<float>({2}, {1, 2}), Tensor::of<std::int64_t>({2}, {1, 2})},
             {Tensor::of<float>({5}, {1, 1, 2, 2, 2})});
    check_op(Pad{PadMode::wrap},
             {Tensor::of<float>({2}, {1, 2}), Tensor::of<std::int64_t>({2}, {3, 1})},
             {Tensor::of<float>({6}, {2, 1, 2, 1, 2, 1})});
  }

  TEST_CASE("pad takes away by negative amounts and names axes") {
    check_op(Pad{}, {Tensor::of<float>({3}, {1, 2, 3}), Tensor::of<std::int64_t>({2}, {-1, 1})},
             {Tensor::of<float>({3}, {2, 3, 0})});
    check_op(Pad{},
             {Tensor::of<float>({1, 2}, {1, 2}), Tensor::of<std::int64_t>({2}, {1, 0}),
              Tensor::scalar(0.0f), Tensor::of<std::int64_t>({1}, {-1})},
             {Tensor::of<float>({1, 3}, {0, 1, 2})});
    CHECK(facts_of(Pad{}, {Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}}),
                           Fact::of(Tensor::of<std::int64_t>({4}, {1, 0, 1, 0}))})[0]
              .shape.to_string() == "[N+2,3]");
  }

  TEST_CASE("pad takes away the same once it is simplified, of an axis that may be empty, too") {
    for (const PadMode mode : {PadMode::constant, PadMode::edge, PadMode::reflect, PadMode::wrap}) {
      TypedModel model;
      const OutletId x = model.add_source(
          "x", Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol("N"), Dim(3)}));
      const OutletId pads = model.constant("pads", Tensor::of<std::int64_t>({4}, {-2, 1, 1, -1}));
      model.add_output("y", model.wire_one("y", Pad{mode}, {x, pads}));
      TypedModel simple = model;
      declutter(simple);
      for (const TypedModel& stage : {model, simple}) {
        const auto run = [&](std::int64_t rows) {
          const Value given = MutableTensor::zeros(DatumType::f32, {rows, 3}).freeze();
          return run_model(stage, {&given, 1})[0].tensor().shape();
        };
        CHECK(run(3) == Shape{2, 3});
        CHECK(run(1) == Shape{0, 3});
        CHECK_THROWS_WITH_AS(run(0), doctest::Contains("(C4)"), Error);
      }
    }
  }

  TEST_CASE("pad_c1: too few pads") {
    CHECK_THROWS_WITH_AS(facts_of(Pad{}, {Fact::tensor(DatumType::f32, Shape{2, 2}),
                                          Fact::of(Tensor::of<std::int64_t>({2}, {1, 1}))}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("pad_c2: a value of another type") {
    CHECK_THROWS_WITH_AS(facts_of(Pad{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                          Fact::of(Tensor::of<std::int64_t>({2}, {1, 1})),
                                          Fact::of(Tensor::scalar<std::int64_t>(0))}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("pad_c3: an axis outside the rank, or named twice") {
    CHECK_THROWS_WITH_AS(facts_of(Pad{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                          Fact::of(Tensor::of<std::int64_t>({2}, {1, 1})),
                                          Fact::of(Tensor::scalar<float>(0)),
                                          Fact::of(Tensor::of<std::int64_t>({1}, {1}))}),
                         doctest::Contains("axis 1 is outside rank 1"), Error);
    CHECK_THROWS_WITH_AS(facts_of(Pad{}, {Fact::tensor(DatumType::f32, Shape{2, 2}),
                                          Fact::of(Tensor::of<std::int64_t>({4}, {1, 1, 1, 1})),
                                          Fact::of(Tensor::scalar<float>(0)),
                                          Fact::of(Tensor::of<std::int64_t>({2}, {0, -2}))}),
                         doctest::Contains("axes [0,-2] name an axis twice"), Error);
  }

  TEST_CASE("pad_c4: more taken away than is there") {
    CHECK_THROWS_WITH_AS(facts_of(Pad{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                          Fact::of(Tensor::of<std::int64_t>({2}, {-3, 0}))}),
                         doctest::Contains("(C4)"), Error);
  }

  TEST_CASE("pad_c5: an edge of nothing") {
    CHECK_THROWS_WITH_AS(
        TypedOp(Pad{PadMode::edge})
            .eval(ValueList{Tensor::of<float>({0}, {}), Tensor::of<std::int64_t>({2}, {1, 0})}),
        doctest::Contains("(C5)"), Error);
  }
}
