#include "compare.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace strata;
using strata::cli::difference;

namespace {

Value floats(std::initializer_list<float> values) {
  return Tensor::vector<float>(std::span(values.begin(), values.size()));
}
Value sequence(std::vector<Value> items) {
  return Sequence{ValueType::tensor(DatumType::f32), std::move(items)};
}

}  // namespace

TEST_SUITE("compare") {
  TEST_CASE("floats may differ by the tolerance and no more") {
    CHECK_FALSE(difference(floats({1000.9F}), floats({1000})));
    CHECK(difference(floats({1001.1F}), floats({1000})));
    CHECK_FALSE(difference(floats({0.9e-7F}), floats({0})));
    CHECK(difference(floats({1.1e-7F}), floats({0})));
  }

  TEST_CASE("NaN equals NaN, infinities only themselves") {
    CHECK_FALSE(difference(floats({NAN, INFINITY}), floats({NAN, INFINITY})));
    CHECK(difference(floats({1}), floats({NAN})));
    CHECK(difference(floats({INFINITY}), floats({-INFINITY})));
    CHECK(difference(floats({3e38F}), floats({INFINITY})));
  }

  TEST_CASE("integers are compared exactly, however large") {
    const std::int64_t large = std::int64_t{1} << 60;
    CHECK_FALSE(difference(Tensor::scalar(large), Tensor::scalar(large)));
    CHECK(difference(Tensor::scalar(large + 1), Tensor::scalar(large)));
    CHECK(difference(Tensor::scalar<std::int32_t>(1000), Tensor::scalar<std::int32_t>(1001)));
  }

  TEST_CASE("type and shape must be equal") {
    CHECK(difference(Tensor::scalar(1.0F), Tensor::scalar(1.0)));
    CHECK(difference(Tensor::scalar(1.0F), floats({1})));
  }

  TEST_CASE("sequences are compared both ways") {
    CHECK_FALSE(difference(sequence({floats({1})}), sequence({floats({1})})));
    CHECK(difference(sequence({}), sequence({floats({1})})));
    CHECK(difference(sequence({floats({1})}), sequence({})));
    CHECK(difference(sequence({floats({2})}), sequence({floats({1})})));
  }

  TEST_CASE("an absent optional equals only an absent one") {
    const ValueType type = ValueType::tensor(DatumType::f32);
    const Value none = Optional{type, nullptr},
                one = Optional{type, std::make_shared<const Value>(floats({1}))};
    CHECK_FALSE(difference(none, none));
    CHECK_FALSE(difference(one, one));
    CHECK(difference(none, one));
    CHECK(difference(one, none));
  }

  TEST_CASE("the element that is furthest out is named") {
    const Value expected = Tensor::of<float>({2, 2}, {1, 1, 1, 1}),
                actual = Tensor::of<float>({2, 2}, {1, 2, 5, 1});
    CHECK(difference(actual, expected).value() ==
          "element [1,0] is 5.0, expected 1.0 (worst of 2 wrong in 4)");
  }
}
