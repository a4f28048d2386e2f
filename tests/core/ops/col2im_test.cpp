#include "strata/core/ops/col2im.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

Tensor sizes(std::initializer_list<std::int64_t> values) {
  return Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}
void check_refused(const Col2Im& op, const std::vector<Fact>& inputs, const char* tag) {
  CHECK_THROWS_WITH_AS(facts_of(op, inputs), doctest::Contains(tag), Error);
}

}  // namespace

TEST_SUITE("col2im") {
  const Tensor x = Tensor::of<float>({1, 2, 3}, {1, 2, 3, 10, 20, 30});

  TEST_CASE("col2im adds up where blocks overlap") {
    check_op(Col2Im{}, {x, sizes({4}), sizes({2})}, {Tensor::of<float>({1, 1, 4}, {1, 12, 23, 30})});
  }
  TEST_CASE("col2im puts blocks side by side, and drops what lies in the padding") {
    check_op(Col2Im{.strides = {2}}, {x, sizes({6}), sizes({2})}, {Tensor::of<float>({1, 1, 6}, {1, 10, 2, 20, 3, 30})});
    check_op(Col2Im{.strides = {2}, .pads = {1, 1}}, {x, sizes({4}), sizes({2})}, {Tensor::of<float>({1, 1, 4}, {10, 2, 20, 3})});
  }
  TEST_CASE("col2im keeps the channels apart") {
    check_op(Col2Im{}, {x, sizes({3}), sizes({1})}, {Tensor::of<float>({1, 2, 3}, {1, 2, 3, 10, 20, 30})});
  }

  TEST_CASE("col2im_c1: no block") { check_refused(Col2Im{}, {Fact::of(x), Fact::of(sizes({4}))}, "(C1)"); }
  TEST_CASE("col2im_c2: strings") {
    check_refused(Col2Im{}, {Fact::tensor(DatumType::string, Shape{1, 2, 3}), Fact::of(sizes({4})), Fact::of(sizes({2}))}, "(C2)");
  }
  TEST_CASE("col2im_c3: columns of rank 2") {
    check_refused(Col2Im{}, {Fact::tensor(DatumType::f32, Shape{2, 3}), Fact::of(sizes({4})), Fact::of(sizes({2}))}, "(C3)");
  }
  TEST_CASE("col2im_c4: strides for other axes") {
    check_refused(Col2Im{.strides = {1, 1}}, {Fact::of(x), Fact::of(sizes({4})), Fact::of(sizes({2}))}, "(C4)");
  }
  TEST_CASE("col2im_c5: too few blocks") {
    CHECK_THROWS_WITH_AS(Col2Im{}.eval(TensorList{x, sizes({5}), sizes({2})}), doctest::Contains("(C5)"), Error);
  }
}
