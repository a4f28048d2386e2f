#include "support/allocations.h"

#include <doctest/doctest.h>

#include <memory>

#include "strata/core/tensor.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("allocations") {
  TEST_CASE("objects and tensors are counted") {
    const std::size_t before = allocations();
    const auto number = std::make_unique<int>(1);
    CHECK(allocations() == before + 1);
    const MutableTensor tensor(DatumType::f32, Shape{1000});
    CHECK(allocations() > before + 1);
  }
}
