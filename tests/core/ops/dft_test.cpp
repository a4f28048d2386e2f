#include "strata/core/ops/dft.h"

#include <doctest/doctest.h>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

Tensor integer(std::int64_t n) { return Tensor::scalar(n); }
Tensor real(std::initializer_list<float> values) {
  return Tensor::of<float>({static_cast<std::int64_t>(values.size()), 1}, values);
}
Tensor complex(std::initializer_list<float> values) {
  return Tensor::of<float>({static_cast<std::int64_t>(values.size() / 2), 2}, values);
}
void check_refused(const std::vector<Fact>& inputs, const char* tag) {
  CHECK_THROWS_WITH_AS(facts_of(Dft{}, inputs), doctest::Contains(tag), Error);
}

}  // namespace

TEST_SUITE("dft") {
  // 1 + 2i + 3i^2 + 4i^3 with i -> -i: the textbook transform of 1, 2, 3, 4.
  const Tensor spectrum = complex({10, 0, -2, 2, -2, 0, -2, -2});

  TEST_CASE("dft of four numbers, and back") {
    check_op(Dft{}, {real({1, 2, 3, 4}), integer(0)}, {spectrum});
    const Tensor back = Dft{true}.eval(TensorList{spectrum, integer(-2)})[0];
    check_close(back, complex({1, 0, 2, 0, 3, 0, 4, 0}), 1e-6, 1e-6);
  }

  TEST_CASE("dft of an odd length") {
    // 1, 0, 0 is flat; 0, 1, 0 turns by a third.
    check_op(Dft{}, {real({1, 0, 0}), integer(0)}, {complex({1, 0, 1, 0, 1, 0})});
    const float s = 0.8660254f;
    check_op(Dft{}, {real({0, 1, 0}), integer(0)}, {complex({1, 0, -0.5, -s, -0.5, s})});
  }

  TEST_CASE("dft keeps half of a symmetric spectrum, and restores from it") {
    check_op(Dft{false, true}, {real({1, 2, 3, 4}), integer(0)}, {complex({10, 0, -2, 2, -2, 0})});
    check_op(Dft{true, true}, {complex({10, 0, -2, 2, -2, 0}), integer(0)}, {real({1, 2, 3, 4})});
  }

  TEST_CASE("dft cuts off or fills up to a length") {
    check_op(Dft{}, {real({1, 2, 9}), integer(0), integer(2)}, {complex({3, 0, -1, 0})});
    check_op(Dft{}, {real({5}), integer(0), integer(2)}, {complex({5, 0, 5, 0})});
  }

  TEST_CASE("dft_c1: no axis") { check_refused({Fact::of(real({1}))}, "(C1)"); }
  TEST_CASE("dft_c2: three parts a number") {
    check_refused({Fact::tensor(DatumType::f32, Shape{4, 3}), Fact::of(integer(0))}, "(C2)");
  }
  TEST_CASE("dft_c3: the last axis") {
    check_refused({Fact::of(real({1})), Fact::of(integer(-1))}, "(C3)");
  }
  TEST_CASE("dft_c4: a length of 0") {
    check_refused({Fact::of(real({1})), Fact::of(integer(0)), Fact::of(integer(0))}, "(C4)");
  }
}
