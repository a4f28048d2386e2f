#include "strata/core/ops/tensor_scatter.h"

#include <doctest/doctest.h>

#include <limits>

#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("tensor_scatter") {
  TEST_CASE("tensor_scatter writes at each batch's start") {
    check_op((TensorScatter{1}),
             {Tensor::of<float>({2, 3}, {0, 0, 0, 0, 0, 0}), Tensor::of<float>({2, 1}, {1, 2}),
              Tensor::of<std::int64_t>({2}, {2, 0})},
             {Tensor::of<float>({2, 3}, {0, 0, 1, 2, 0, 0})});
    check_op((TensorScatter{1, ScatterWrap::circular}),
             {Tensor::of<float>({1, 3}, {0, 0, 0}), Tensor::of<float>({1, 2}, {1, 2}),
              Tensor::of<std::int64_t>({1}, {2})},
             {Tensor::of<float>({1, 3}, {2, 0, 1})});
  }

  TEST_CASE("tensor_scatter_c1: another type") {
    CHECK_THROWS_WITH_AS(facts_of(TensorScatter{1}, {Fact::tensor(DatumType::f32, Shape{1, 2}),
                                                     Fact::tensor(DatumType::i64, Shape{1, 1})}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("tensor_scatter_c2: the batch axis") {
    CHECK_THROWS_WITH_AS(facts_of(TensorScatter{0}, {Fact::tensor(DatumType::f32, Shape{1, 2}),
                                                     Fact::tensor(DatumType::f32, Shape{1, 1})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("tensor_scatter_c3: a start too many") {
    CHECK_THROWS_WITH_AS(facts_of(TensorScatter{1}, {Fact::tensor(DatumType::f32, Shape{1, 2}),
                                                     Fact::tensor(DatumType::f32, Shape{1, 1}),
                                                     Fact::tensor(DatumType::i64, Shape{2})}),
                         doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("tensor_scatter_c4: an update past the end") {
    CHECK_THROWS_WITH_AS(
        TypedOp(TensorScatter{1})
            .eval(ValueList{Tensor::of<float>({1, 2}, {0, 0}), Tensor::of<float>({1, 1}, {1}),
                            Tensor::of<std::int64_t>({1}, {2})}),
        doctest::Contains("(C4)"), Error);
  }

  TEST_CASE("tensor_scatter from the last place that there is") {
    constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
    const auto scattered = [](ScatterWrap wrap, bool with_kernel) {
      TypedModel model;
      const OutletId cache = model.add_source("cache", Fact::tensor(DatumType::f32, Shape{1, 5})),
                     update = model.add_source("update", Fact::tensor(DatumType::f32, Shape{1, 2})),
                     start = model.add_source("start", Fact::tensor(DatumType::i64, Shape{1}));
      model.add_output("y", model.wire_one("y", TensorScatter{1, wrap}, {cache, update, start}));
      if (with_kernel) optimise(model);
      return run_model(model, ValueList{Tensor::of<float>({1, 5}, {0, 0, 0, 0, 0}),
                                        Tensor::of<float>({1, 2}, {1, 2}),
                                        Tensor::of<std::int64_t>({1}, {kLast})})[0];
    };
    for (const bool with_kernel : {false, true}) {
      CHECK_THROWS_WITH_AS(scattered(ScatterWrap::linear, with_kernel), doctest::Contains("(C4)"),
                           Error);
      // 2^63 - 1 is 2 more than a multiple of 5.
      CHECK((scattered(ScatterWrap::circular, with_kernel) ==
             Value(Tensor::of<float>({1, 5}, {0, 0, 1, 2, 0}))));
    }
  }
}
