#include "strata/core/only_number.h"

#include <doctest/doctest.h>

using namespace strata;

namespace {

Fact i64(const Shape& shape, std::initializer_list<std::int64_t> values) {
  return Fact::of(Tensor::of<std::int64_t>(shape, values));
}

Fact sizes(const std::vector<Dim>& dims) { return Fact::of(dims_tensor(dims)); }

}  // namespace

TEST_SUITE("only number") {
  TEST_CASE("an integer is a tensor of one element, whatever its rank and width") {
    CHECK(only_integer(i64({}, {7})) == 7);
    CHECK(only_integer(i64({1}, {7})) == 7);
    CHECK(only_integer(i64({1, 1}, {7})) == 7);
    CHECK(only_integer(Fact::of(Tensor::scalar<std::uint8_t>(7))) == 7);
    CHECK(only_integer(i64({2}, {7, 7})) == std::nullopt);
    CHECK(only_integer(i64({0}, {})) == std::nullopt);
    CHECK(only_integer(Fact::of(Tensor::scalar(7.0F))) == std::nullopt);
    CHECK(only_integer(Fact::tensor(DatumType::i64, Shape{})) == std::nullopt);
  }

  TEST_CASE("a size may be symbolic, where it is no integer") {
    const Dim n = Dim::symbol("N");
    CHECK(only_dim(sizes({n})) == n);
    CHECK(only_integer(sizes({n})) == std::nullopt);
    CHECK(only_dim(sizes({n, 3})) == std::nullopt);
    CHECK(only_dim(i64({}, {7})) == Dim(7));
  }
}
