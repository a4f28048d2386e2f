#include "strata/core/ops/dft.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>

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

  TEST_CASE("dft of a prime length and of one number") {
    // One step of 0, .., 52 turns by 1/53: a wave of frequency 1 is all in X[1].
    std::vector<float> wave, expected(2 * 53, 0.0f);
    for (int i = 0; i < 53; ++i) {
      const double angle = 2 * std::numbers::pi * i / 53;
      wave.push_back(static_cast<float>(std::cos(angle)));
      wave.push_back(static_cast<float>(std::sin(angle)));
    }
    expected[2] = 53;
    const auto tensor = [](const std::vector<float>& values) {
      return Tensor::of<float>({53, 2}, std::span<const float>(values));
    };
    check_close(Dft{}.eval(TensorList{tensor(wave), integer(0)})[0], tensor(expected), 1e-6, 1e-5);
    check_op(Dft{}, {real({7}), integer(0)}, {complex({7, 0})});
  }

  TEST_CASE("dft along an axis in the middle leaves the other lines alone") {
    // Lines (1, 3) and (2, inf): the second must not reach the first.
    const float inf = std::numeric_limits<float>::infinity();
    const Tensor x = Tensor::of<float>({1, 2, 2, 1}, {1, 2, 3, inf});
    const Tensor y = Dft{}.eval(TensorList{x, integer(1)})[0];
    CHECK(y.shape() == Shape{1, 2, 2, 2});
    CHECK(y.as<float>()[0] == 4);
    CHECK(y.as<float>()[4] == -2);
    CHECK(y.as<float>()[2] == inf);
    check_op(Dft{}, {Tensor::of<float>({0, 2, 1}, {}), integer(1)},
             {Tensor::of<float>({0, 2, 2}, {})});
  }

  TEST_CASE("dft back from real numbers and from an odd half spectrum") {
    check_op(Dft{true}, {real({4, 8}), integer(0)}, {complex({6, 0, -2, 0})});
    // 1, 2, 3 by hand: 6, then 1 + 2w + 3w^2 = -1.5 + 0.8660254i.
    check_op(Dft{true, true}, {complex({6, 0, -1.5, 0.8660254f}), integer(0), integer(3)},
             {real({1, 2, 3})});
  }

  TEST_CASE("dft in double is right to its last digits") {
    const Tensor x = Tensor::of<double>({3, 1}, {0, 1, 0});
    const double s = 0.8660254037844386;
    const Tensor y = Dft{}.eval(TensorList{x, integer(0)})[0];
    check_close(y, Tensor::of<double>({3, 2}, {1, 0, -0.5, -s, -0.5, s}), 1e-15, 1e-15);
  }

  TEST_CASE("dft_c1: no axis, or two") {
    check_refused(Dft{}, {Fact::of(real({1})), Fact::of(Tensor::of<std::int64_t>({2}, {0, 0}))},
                  "(C1)");
    check_refused(Dft{}, {Fact::of(real({1}))}, "(C1)");
  }
  TEST_CASE("dft_c2: three parts a number") {
    CHECK_THROWS_WITH_AS(Dft{}.eval(TensorList{Tensor::of<float>({1, 3}, {1, 2, 3}), integer(0)}),
                         doctest::Contains("(C2)"), Error);
    check_refused(Dft{}, {Fact::tensor(DatumType::f32, Shape{4, 3}), Fact::of(integer(0))}, "(C2)");
  }
  TEST_CASE("dft_c3: the last axis") {
    check_refused(Dft{}, {Fact::of(real({1})), Fact::of(integer(-1))}, "(C3)");
  }
  TEST_CASE("dft_c4: a length of 0") {
    check_refused(Dft{}, {Fact::of(real({1})), Fact::of(integer(0)), Fact::of(integer(0))}, "(C4)");
  }
}
