#include "strata/core/ops/max_unpool.h"

#include <doctest/doctest.h>

#include "support/f32_fact.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

Fact i64(Shape shape) { return Fact::tensor(DatumType::i64, shape); }

}  // namespace

TEST_SUITE("max_unpool") {
  const MaxUnpool op{{2, 2}, {2, 2}, {}};
  const Tensor x = Tensor::of<float>({1, 1, 1, 2}, {7, 8});
  const Tensor at = Tensor::of<std::int64_t>({1, 1, 1, 2}, {1, 6});

  TEST_CASE("max_unpool puts each maximum back") {
    check_op(op, {x, at}, {Tensor::of<float>({1, 1, 2, 4}, {0, 7, 0, 0, 0, 0, 8, 0})});
  }

  TEST_CASE("max_unpool fills a larger output with zeros") {
    const Tensor sizes = Tensor::of<std::int64_t>({4}, {1, 1, 2, 5});
    check_op(op, {x, at, sizes}, {Tensor::of<float>({1, 1, 2, 5}, {0, 7, 0, 0, 0, 0, 0, 8, 0, 0})});
  }

  TEST_CASE("max_unpool_c1: no indices") { check_refused(op, {f32({1, 1, 1, 2})}, "(C1)"); }
  TEST_CASE("max_unpool_c2: indices of another shape or type") {
    check_refused(op, {f32({1, 1, 1, 2}), i64({1, 1, 2, 2})}, "(C2)");
    check_refused(op, {f32({1, 1, 1, 2}), f32({1, 1, 1, 2})}, "(C2)");
  }
  TEST_CASE("max_unpool_c3: a kernel of another rank") {
    check_refused(op, {f32({1, 1, 2}), i64({1, 1, 2})}, "(C3)");
  }
  TEST_CASE("max_unpool_c4: strides for other axes") {
    check_refused(MaxUnpool{{2, 2}, {2}, {}}, {f32({1, 1, 1, 2}), i64({1, 1, 1, 2})}, "(C4)");
  }
  TEST_CASE("max_unpool_c5: an index past the output") {
    const Tensor past = Tensor::of<std::int64_t>({1, 1, 1, 2}, {1, 8});
    CHECK_THROWS_WITH_AS(op.eval(TensorList{x, past}), doctest::Contains("(C5)"), Error);
  }
  TEST_CASE("max_unpool_c6: sizes that are too small") {
    const Tensor sizes = Tensor::of<std::int64_t>({4}, {1, 1, 2, 3});
    CHECK_THROWS_WITH_AS(op.eval(TensorList{x, at, sizes}), doctest::Contains("(C6)"), Error);
  }
}
