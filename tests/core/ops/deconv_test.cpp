#include "strata/core/ops/deconv.h"

#include <doctest/doctest.h>

#include "support/f32_fact.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

Padding pads(Shape amounts) { return {Padding::Kind::fixed, std::move(amounts)}; }

}  // namespace

TEST_SUITE("deconv") {
  const Tensor x = Tensor::of<float>({1, 1, 2}, {1, 10});
  const Tensor w = Tensor::of<float>({1, 1, 3}, {1, 2, 3});

  TEST_CASE("deconv spreads each input over its window") {
    check_op(Deconv{}, {x, w}, {Tensor::of<float>({1, 1, 4}, {1, 12, 23, 30})});
    check_op(Deconv{{2}}, {x, w}, {Tensor::of<float>({1, 1, 5}, {1, 2, 13, 20, 30})});
    check_op(Deconv{{}, {2}}, {x, w}, {Tensor::of<float>({1, 1, 6}, {1, 10, 2, 20, 3, 30})});
  }

  TEST_CASE("deconv cuts the padding off and appends the output padding") {
    check_op(Deconv{{2}, {}, pads({1, 1})}, {x, w}, {Tensor::of<float>({1, 1, 3}, {2, 13, 20})});
    check_op(Deconv{{2}, {}, pads({1, 1}), 1, {1}}, {x, w},
             {Tensor::of<float>({1, 1, 4}, {2, 13, 20, 30})});
  }

  TEST_CASE("deconv pads for an output of stride times the input") {
    check_op(Deconv{{2}, {}, {Padding::Kind::same_upper, {}}}, {x, w},
             {Tensor::of<float>({1, 1, 4}, {1, 2, 13, 20})});
    check_op(Deconv{{2}, {}, {Padding::Kind::same_lower, {}}}, {x, w},
             {Tensor::of<float>({1, 1, 4}, {2, 13, 20, 30})});
  }

  TEST_CASE("deconv meets a given output shape") {
    check_op(Deconv{.strides = {2}, .output_shape = Shape{3}}, {x, w},
             {Tensor::of<float>({1, 1, 3}, {2, 13, 20})});
    check_op(Deconv{.strides = {2}, .output_shape = Shape{4}}, {x, w},
             {Tensor::of<float>({1, 1, 4}, {2, 13, 20, 30})});
    check_op(
        Deconv{
            .strides = {2}, .padding = {Padding::Kind::same_upper, {}}, .output_shape = Shape{4}},
        {x, w}, {Tensor::of<float>({1, 1, 4}, {1, 2, 13, 20})});
    check_op(Deconv{.strides = {2}, .output_shape = Shape{6}}, {x, w},
             {Tensor::of<float>({1, 1, 6}, {1, 2, 13, 20, 30, 0})});
  }

  TEST_CASE("deconv sums over input channels and adds the bias") {
    const Tensor two = Tensor::of<float>({1, 2, 1}, {1, 10}),
                 weights = Tensor::of<float>({2, 2, 1}, {1, 2, 3, 4});
    check_op(Deconv{}, {two, weights, Tensor::of<float>({2}, {100, 0})},
             {Tensor::of<float>({1, 2, 1}, {131, 42})});
  }

  TEST_CASE("deconv gives each group its own channels") {
    const Tensor two = Tensor::of<float>({1, 2, 1}, {1, 10}),
                 weights = Tensor::of<float>({2, 1, 2}, {1, 2, 3, 4});
    check_op(Deconv{.group = 2}, {two, weights}, {Tensor::of<float>({1, 2, 2}, {1, 2, 30, 40})});
  }

  TEST_CASE("deconv works out symbolic sizes") {
    const Fact in = Fact::tensor(DatumType::f32, {{1, 1, Dim::symbol("W")}});
    CHECK(facts_of(Deconv{{2}}, {in, f32({1, 4, 3})})[0].shape.to_string() == "[1,4,2*W+1]");
  }

  TEST_CASE("deconv_c1: no weights") { check_refused(Deconv{}, {f32({1, 1, 3})}, "(C1)"); }
  TEST_CASE("deconv_c2: two element types") {
    check_refused(Deconv{}, {f32({1, 1, 3}), Fact::tensor(DatumType::f64, Shape{1, 1, 1})}, "(C2)");
  }
  TEST_CASE("deconv_c3: two ranks") {
    check_refused(Deconv{}, {f32({1, 1, 3}), f32({1, 1, 1, 1})}, "(C3)");
  }
  TEST_CASE("deconv_c4: lists for other axes") {
    check_refused(Deconv{.output_padding = {1, 1}}, {f32({1, 1, 3}), f32({1, 1, 1})}, "(C4)");
    check_refused(Deconv{.output_shape = Shape{1, 1}}, {f32({1, 1, 3}), f32({1, 1, 1})}, "(C4)");
    check_refused(Deconv{.output_padding = {-1}}, {f32({1, 1, 3}), f32({1, 1, 1})}, "(C4)");
  }
  TEST_CASE("deconv_c5: other channels") {
    check_refused(Deconv{}, {f32({1, 2, 3}), f32({1, 1, 1})}, "(C5)");
  }
  TEST_CASE("deconv_c6: groups that do not divide") {
    check_refused(Deconv{.group = 2}, {f32({1, 3, 3}), f32({3, 1, 1})}, "(C6)");
  }
  TEST_CASE("deconv_c7: a bias of another size") {
    check_refused(Deconv{}, {f32({1, 1, 3}), f32({1, 2, 1}), f32({3})}, "(C7)");
  }
  TEST_CASE("deconv_c8: more padding than output") {
    check_refused(Deconv{{}, {}, pads({3, 3})}, {f32({1, 1, 2}), f32({1, 1, 3})}, "(C8)");
  }
}
