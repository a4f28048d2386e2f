#include <doctest/doctest.h>

#include "strata/hir/ops/dft.h"
#include "support/hir_case.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir STFT") {
  TEST_CASE("a real signal may come with an axis of components or without") {
    const Value step = Tensor::scalar<std::int64_t>(2), length = Tensor::scalar<std::int64_t>(2);
    // the frames 1 2 and 3 4: their sums and their differences
    const Tensor expected = Tensor::of<float>({1, 2, 2, 2}, {3, 0, -1, 0, 7, 0, -1, 0});
    for (const Shape& shape : {Shape{1, 4, 1}, Shape{1, 4}}) {
      CAPTURE(shape.size());
      const Value signal = Tensor::of<float>(shape, {1, 2, 3, 4});
      check_inference_op(Stft{}, {signal, step, std::nullopt, length}, {expected},
                         Undeclared::right);
    }
  }
}
