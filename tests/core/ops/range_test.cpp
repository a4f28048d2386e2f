#include "strata/core/ops/range.h"

#include <doctest/doctest.h>

#include <cmath>

#include "strata/core/typed_model.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("range") {
  TEST_CASE("range counts up and down") {
    check_op(Range{},
             {Tensor::scalar<std::int64_t>(1), Tensor::scalar<std::int64_t>(8),
              Tensor::scalar<std::int64_t>(3)},
             {Tensor::of<std::int64_t>({3}, {1, 4, 7})});
    check_op(Range{},
             {Tensor::scalar<std::int64_t>(3), Tensor::scalar<std::int64_t>(0),
              Tensor::scalar<std::int64_t>(-2)},
             {Tensor::of<std::int64_t>({2}, {3, 1})});
    check_op(Range{},
             {Tensor::scalar<std::int64_t>(3), Tensor::scalar<std::int64_t>(3),
              Tensor::scalar<std::int64_t>(1)},
             {Tensor::vector<std::int64_t>({})});
    check_op(Range{},
             {Tensor::scalar<float>(1), Tensor::scalar<float>(2), Tensor::scalar<float>(0.25f)},
             {Tensor::of<float>({4}, {1, 1.25, 1.5, 1.75})});
  }

  TEST_CASE("a range of more numbers than can be counted is refused") {
    const Tensor in[] = {Tensor::scalar<std::int64_t>(INT64_MIN),
                         Tensor::scalar<std::int64_t>(INT64_MAX), Tensor::scalar<std::int64_t>(1)};
    CHECK_THROWS_WITH_AS(Range{}.eval(Tensors(in)),
                         doctest::Contains("more elements than int64 can count"), Error);
  }

  TEST_CASE("range to a symbolic limit has that length") {
    const Tensor limit = dims_tensor(std::vector{Dim::symbol("N")}).reshaped({});
    CHECK(facts_of(Range{}, {Fact::of(Tensor::scalar<std::int64_t>(0)), Fact::of(limit),
                             Fact::of(Tensor::scalar<std::int64_t>(1))})[0]
              .shape.to_string() == "[N]");
  }

  TEST_CASE("a constant limit that is never reached is a mistake of the model") {
    TypedModel model;
    const OutletId zero = model.constant("zero", Value(Tensor::scalar<float>(0))),
                   nan = model.constant("nan", Value(Tensor::scalar<float>(NAN))),
                   one = model.constant("one", Value(Tensor::scalar<float>(1)));
    try {
      (void)model.wire_one("range", Range{}, {zero, nan, one});
      FAIL("wired");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::invalid_model);
      CHECK(error.message() == "the range from 0.0 to nan by 1.0 never ends");
    }
  }

  TEST_CASE("range_c1: two element types") {
    CHECK_THROWS_WITH_AS(facts_of(Range{}, {Fact::of(Tensor::scalar<std::int64_t>(0)),
                                            Fact::of(Tensor::scalar<float>(1)),
                                            Fact::of(Tensor::scalar<std::int64_t>(1))}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("range_c2: no step") {
    CHECK_THROWS_WITH_AS(facts_of(Range{}, {Fact::of(Tensor::scalar<std::int64_t>(0)),
                                            Fact::of(Tensor::scalar<std::int64_t>(1)),
                                            Fact::of(Tensor::scalar<std::int64_t>(0))}),
                         doctest::Contains("(C2)"), Error);
  }
}
