#include "strata/hir/ops/flatten.h"

#include <doctest/doctest.h>

#include "strata/core/session.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// The sum of `count` symbols, as many parts that are joined have.
Dim sum_of_symbols(std::string_view name, int count) {
  Dim sum;
  for (int i = 0; i < count; ++i) sum += Dim::symbol(cat(name, i));
  return sum;
}

}  // namespace

TEST_SUITE("hir Flatten") {
  TEST_CASE("sizes whose product is too large an expression become one that the run tells") {
    for (const std::int64_t axis : {0, 1, 2}) {
      TypedModel model;
      const std::vector<Dim> sizes{sum_of_symbols("A", 20), sum_of_symbols("B", 20)};
      const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, sizes));
      Builder builder(model, "y");
      model.add_output("y", hir::Flatten{axis}.wire(builder, {x})[0]);
      const Tensor given = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
      const std::array<Shape, 3> expected{Shape{1, 6}, Shape{2, 3}, Shape{6, 1}};
      const Tensor y = run_model(model, ValueList{given})[0].tensor();
      check_close(y, given.reshaped(expected[static_cast<std::size_t>(axis)]));
    }
  }
}
