#include "strata/hir/ops/bernoulli.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir Bernoulli") {
  TEST_CASE("what is certain comes, what is impossible does not, whatever is drawn") {
    const Value certain = Tensor::of<float>({4}, {0, 1, 1, 0});
    check_inference_op(Bernoulli{}, {certain}, {certain});
    check_inference_op(Bernoulli{DatumType::i32, {}}, {certain},
                       {Tensor::of<std::int32_t>({4}, {0, 1, 1, 0})});
  }

  TEST_CASE("of one seed the draws are those of numpy's RandomState") {
    // RandomState(0) draws 0.5488, 0.7152, 0.6028, 0.5449.
    Bernoulli op;
    op.seed = 0;
    check_inference_op(op, {Value(Tensor::of<double>({4}, {0.54, 0.72, 0.61, 0.54}))},
                       {Tensor::of<double>({4}, {0, 1, 1, 0})});
  }
}
