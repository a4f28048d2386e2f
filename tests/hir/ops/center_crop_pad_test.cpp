#include "strata/hir/ops/center_crop_pad.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

TEST_SUITE("hir CenterCropPad") {
  TEST_CASE("strings are padded with empty ones, numbers with 0") {
    const Value size = Tensor::vector<std::int64_t>(std::vector<std::int64_t>{4});
    check_inference_op(CenterCropPad{}, {Value(Tensor::of<std::string>({1}, {"a"})), size},
                       {Tensor::of<std::string>({4}, {"", "a", "", ""})});
    check_inference_op(CenterCropPad{}, {Value(Tensor::of<float>({1}, {7})), size},
                       {Tensor::of<float>({4}, {0, 7, 0, 0})});
  }
}
