#include "strata/core/ops/slice.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "strata/core/ops/concat.h"
#include "strata/core/session.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("slice") {
  TEST_CASE("slice clamps, steps and goes backward") {
    check_op(Slice{},
             {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::of<std::int64_t>({1}, {0}),
              Tensor::of<std::int64_t>({1}, {2}), Tensor::of<std::int64_t>({1}, {1})},
             {Tensor::of<float>({2, 2}, {1, 2, 4, 5})});
    check_op(Slice{},
             {Tensor::of<float>({5}, {0, 1, 2, 3, 4}), Tensor::of<std::int64_t>({1}, {-1}),
              Tensor::of<std::int64_t>({1}, {-100}), Tensor::of<std::int64_t>({1}, {0}),
              Tensor::of<std::int64_t>({1}, {-2})},
             {Tensor::of<float>({3}, {4, 2, 0})});
    check_op(Slice{},
             {Tensor::of<float>({5}, {0, 1, 2, 3, 4}), Tensor::of<std::int64_t>({1}, {1}),
              Tensor::of<std::int64_t>({1}, {1000}), Tensor::of<std::int64_t>({1}, {0}),
              Tensor::of<std::int64_t>({1}, {3})},
             {Tensor::of<float>({2}, {1, 4})});
    check_op(Slice{},
             {Tensor::of<float>({2}, {0, 1}), Tensor::of<std::int64_t>({1}, {2}),
              Tensor::of<std::int64_t>({1}, {1})},
             {Tensor::of<float>({0}, {})});
  }

  TEST_CASE("a slice that goes backward from before the first element starts at the first") {
    constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
    for (const std::int64_t start : {std::int64_t{-4}, std::int64_t{-100}, kLowest})
      for (const std::int64_t extent : {3, 1, 0}) {
        CAPTURE(start);
        CAPTURE(extent);
        const auto sliced = [&](const std::vector<float>& values) {
          return Tensor::vector<float>(std::span(values));
        };
        const std::vector<float> data{5, 6, 7};
        check_op(Slice{},
                 {sliced({data.begin(), data.begin() + extent}),
                  Tensor::of<std::int64_t>({1}, {start}), Tensor::of<std::int64_t>({1}, {kLowest}),
                  Tensor::of<std::int64_t>({1}, {0}), Tensor::of<std::int64_t>({1}, {-1})},
                 {sliced({data.begin(), data.begin() + std::min<std::int64_t>(extent, 1)})});
      }
  }

  TEST_CASE("slice keeps symbolic sizes exact") {
    CHECK(facts_of(Slice{}, {Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}}),
                             Fact::of(Tensor::of<std::int64_t>({2}, {0, 1})),
                             Fact::of(Tensor::of<std::int64_t>({2}, {4611686018427387904, 3}))})[0]
              .shape.to_string() == "[N,2]");
    CHECK(facts_of(Slice{}, {Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}}),
                             Fact::of(Tensor::of<std::int64_t>({1}, {0})),
                             Fact::of(Tensor::of<std::int64_t>({1}, {-1})),
                             Fact::of(Tensor::of<std::int64_t>({1}, {1}))})[0]
              .shape.to_string() == "[N,2]");
    const Fact n2 = Fact::tensor(DatumType::f32, {{Dim::symbol("N") + Dim(2)}});
    CHECK(facts_of(Slice{}, {n2, Fact::of(Tensor::of<std::int64_t>({1}, {1})),
                             Fact::of(Tensor::of<std::int64_t>({1}, {-1}))})[0]
              .shape.to_string() == "[N]");
  }

  TEST_CASE("bounds beyond 32 bits are bounds of an axis that may be longer") {
    const std::int64_t far = std::int64_t{1} << 31;
    const auto size = [](std::int64_t begin, std::int64_t end, std::int64_t n) {
      const Fact out = facts_of(Slice{}, {Fact::tensor(DatumType::u8, {{Dim::symbol("N")}}),
                                          Fact::of(Tensor::of<std::int64_t>({1}, {begin})),
                                          Fact::of(Tensor::of<std::int64_t>({1}, {end}))})[0];
      return out.shape[0].evaluate({{"N", n}});
    };
    CHECK(size(far, far + 3, far + 10) == 3);
    CHECK(size(far, far + 3, far + 1) == 1);
    CHECK(size(far, far + 3, 5) == 0);
    CHECK(size(-far - 5, 2, far + 10) == 0);
    CHECK(size(-far - 5, 2, far + 6) == 1);
    CHECK(size(2, INT32_MAX, far + 10) == far + 8);  // which exporters write for the end
  }

  TEST_CASE("sizes that no expression can hold any more are new symbols") {
    constexpr int kParts = 12;
    TypedModel model;
    OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, {{Dim::symbol("N")}}));
    const OutletId begin = model.constant("begin", Tensor::of<std::int64_t>({1}, {2})),
                   end = model.constant("end", Tensor::of<std::int64_t>({1}, {4}));
    for (int i = 0; i < kParts; ++i) {
      const OutletId part = model.wire_one(cat("part", i), Slice{}, {x, begin, end});
      x = model.wire_one(cat("longer", i), Concat{0}, {x, part});
    }
    model.add_output("y", x);
    const Tensor data = Tensor::of<float>({6}, {0, 1, 2, 3, 4, 5});
    const ValueList out = run_model(model, ValueList{data});
    CHECK(out[0].tensor().shape() == Shape{6 + 2 * kParts});
  }

  TEST_CASE("slice_c1: operands of two lengths") {
    CHECK_THROWS_WITH_AS(facts_of(Slice{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                            Fact::of(Tensor::of<std::int64_t>({1}, {0})),
                                            Fact::of(Tensor::of<std::int64_t>({2}, {1, 2}))}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("slice_c2: an axis outside the rank, or named twice") {
    CHECK_THROWS_WITH_AS(facts_of(Slice{}, {Fact::tensor(DatumType::f32, Shape{2, 2}),
                                            Fact::of(Tensor::of<std::int64_t>({1}, {0})),
                                            Fact::of(Tensor::of<std::int64_t>({1}, {1})),
                                            Fact::of(Tensor::of<std::int64_t>({1}, {2}))}),
                         doctest::Contains("axis 2 is outside rank 2"), Error);
    CHECK_THROWS_WITH_AS(facts_of(Slice{}, {Fact::tensor(DatumType::f32, Shape{2, 2}),
                                            Fact::of(Tensor::of<std::int64_t>({2}, {0, 0})),
                                            Fact::of(Tensor::of<std::int64_t>({2}, {1, 1})),
                                            Fact::of(Tensor::of<std::int64_t>({2}, {0, -2}))}),
                         doctest::Contains("axes [0,-2] name an axis twice"), Error);
  }

  TEST_CASE("slice_c3: a step of 0") {
    CHECK_THROWS_WITH_AS(facts_of(Slice{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                            Fact::of(Tensor::of<std::int64_t>({1}, {0})),
                                            Fact::of(Tensor::of<std::int64_t>({1}, {1})),
                                            Fact::of(Tensor::of<std::int64_t>({1}, {0})),
                                            Fact::of(Tensor::of<std::int64_t>({1}, {0}))}),
                         doctest::Contains("(C3)"), Error);
  }
}
