#include "strata/core/ops/conv.h"

#include <doctest/doctest.h>

#include <numeric>

#include "strata/core/ops/unsqueeze.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "support/f32_fact.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

Padding pads(Shape amounts) { return {Padding::Kind::fixed, std::move(amounts)}; }

}  // namespace

TEST_SUITE("conv") {
  const Tensor ramp = Tensor::of<float>({1, 1, 5}, {1, 2, 3, 4, 5});
  const Tensor pair = Tensor::of<float>({1, 1, 2}, {1, 10});
  const Tensor three = Tensor::of<float>({1, 1, 3}, {1, 1, 1});

  TEST_CASE("conv slides a kernel along one axis") {
    check_op(Conv{}, {ramp, pair}, {Tensor::of<float>({1, 1, 4}, {21, 32, 43, 54})});
    check_op(Conv{{2}}, {ramp, pair}, {Tensor::of<float>({1, 1, 2}, {21, 43})});
    check_op(Conv{{}, {3}}, {ramp, pair}, {Tensor::of<float>({1, 1, 2}, {41, 52})});
    check_op(Conv{{}, {}, pads({1, 2})}, {ramp, pair},
             {Tensor::of<float>({1, 1, 7}, {10, 21, 32, 43, 54, 5, 0})});
  }

  TEST_CASE("conv pads so that the output is as large as the input over the stride") {
    const Conv upper{{2}, {}, {Padding::Kind::same_upper, {}}},
        lower{{2}, {}, {Padding::Kind::same_lower, {}}};
    const Tensor x = Tensor::of<float>({1, 1, 4}, {1, 2, 3, 4});
    check_op(upper, {x, three}, {Tensor::of<float>({1, 1, 2}, {6, 7})});
    check_op(lower, {x, three}, {Tensor::of<float>({1, 1, 2}, {3, 9})});
    check_op(Conv{{}, {}, {Padding::Kind::valid, {}}}, {x, three},
             {Tensor::of<float>({1, 1, 2}, {6, 9})});
  }

  TEST_CASE("conv sums over channels, adds the bias, and takes each item of the batch by itself") {
    const Tensor x = Tensor::of<float>({2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    const Tensor w = Tensor::of<float>({3, 2, 1, 1}, {1, 0, 0, 1, 1, 1});
    const Tensor bias = Tensor::of<float>({3}, {0, 100, 1000});
    check_op(Conv{}, {x, w, bias},
             {Tensor::of<float>({2, 3, 1, 2},
                                {1, 2, 103, 104, 1004, 1006, 5, 6, 107, 108, 1012, 1014})});
  }

  TEST_CASE("conv gives each group its own channels") {
    const Tensor x = Tensor::of<float>({1, 2, 2}, {1, 2, 3, 4});
    const Tensor w = Tensor::of<float>({2, 1, 1}, {10, 100});
    check_op(Conv{.group = 2}, {x, w}, {Tensor::of<float>({1, 2, 2}, {10, 20, 300, 400})});
  }

  TEST_CASE("conv slides over two axes") {
    const Tensor x = Tensor::of<float>({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    const Tensor ones = Tensor::of<float>({1, 1, 2, 2}, {1, 1, 1, 1});
    check_op(Conv{}, {x, ones}, {Tensor::of<float>({1, 1, 2, 2}, {12, 16, 24, 28})});
    check_op(Conv{{2, 2}, {}, pads({1, 0, 0, 1})}, {x, ones},
             {Tensor::of<float>({1, 1, 2, 2}, {3, 3, 24, 15})});
  }

  TEST_CASE("conv without spatial axes is a product") {
    check_op(Conv{}, {Tensor::of<float>({1, 2}, {3, 4}), Tensor::of<float>({1, 2}, {10, 1})},
             {Tensor::of<float>({1, 1}, {34})});
  }

  TEST_CASE("conv of integers wraps") {
    const Tensor x = Tensor::of<std::uint8_t>({1, 1, 1}, {200}),
                 w = Tensor::of<std::uint8_t>({1, 1, 1}, {2});
    check_op(Conv{}, {x, w}, {Tensor::of<std::uint8_t>({1, 1, 1}, {144})});
  }

  TEST_CASE("conv works through more outputs than one block holds") {
    const std::int64_t n = 100000, channels = 16;
    const std::vector<float> ones(static_cast<std::size_t>(n * channels), 1);
    const Tensor x = Tensor::of<float>({1, channels, n}, std::span<const float>(ones));
    const Tensor w = Tensor::of<float>({1, channels, 1}, std::span<const float>(ones).first(16));
    const Tensor out = Conv{}.eval(TensorList{x, w})[0];
    const auto values = out.as<float>();
    CHECK(std::all_of(values.begin(), values.end(), [](float v) { return v == 16; }));
  }

  TEST_CASE("conv works out symbolic sizes") {
    const Fact x = Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3, Dim::symbol("H"), 32}});
    const Conv op{{2, 2}, {}, pads({1, 1, 1, 1})};
    CHECK(facts_of(op, {x, f32({8, 3, 3, 3})})[0].shape.to_string() == "[N,8,floor_div(H+1,2),16]");
    const Conv same{{2, 2}, {}, {Padding::Kind::same_upper, {}}};
    CHECK(facts_of(same, {x, f32({8, 3, 3, 3})})[0].shape.to_string() ==
          "[N,8,floor_div(H+1,2),16]");
  }

  TEST_CASE("conv of one tap along an axis that is added for it does without") {
    const auto stays = [](std::int64_t axis, const Shape& weights, const Conv& op) {
      TypedModel model;
      const Shape image = weights.size() == 4 ? Shape{2, 2, 6} : Shape{2, 2, 6, 5};
      MutableTensor x(DatumType::f32, image), w(DatumType::f32, weights);
      std::iota(x.as<float>().begin(), x.as<float>().end(), -7.0f);
      std::iota(w.as<float>().begin(), w.as<float>().end(), -2.0f);
      const ValueList given{Value(std::move(x).freeze())};
      const OutletId in = model.add_source("x", f32(image));
      const std::vector<std::int64_t> axes{axis};
      const OutletId added = model.wire_one(
          "added", Unsqueeze{}, {in, model.constant("axes", Tensor::vector<std::int64_t>(axes))});
      const OutletId kernel = model.constant("w", std::move(w).freeze());
      model.add_output("y", model.wire_one("y", op, {added, kernel}));
      const ValueList expected = run_model(model, given);
      declutter(model);
      CHECK(run_model(model, given)[0] == expected[0]);
      return model.node(model.outputs()[0].outlet.node).op.as<Conv>() != nullptr;
    };
    CHECK_FALSE(stays(2, {4, 2, 1, 3}, {}));
    CHECK_FALSE(stays(-1, {4, 1, 3, 1}, {{2, 5}, {1, 2}, pads({1, 0, 2, 0}), 2}));
    CHECK_FALSE(stays(3, {3, 2, 2, 1, 3}, {{}, {}, pads({1, 0, 0, 1, 0, 2})}));
    CHECK_FALSE(stays(2, {4, 2, 1, 3}, {{3, 2}, {}, {Padding::Kind::same_upper, {}}}));
    CHECK_FALSE(stays(2, {4, 2, 1, 3}, {{}, {}, {Padding::Kind::valid, {1, 1, 1, 1}}}));
    CHECK(stays(2, {4, 2, 3, 1}, {{}, {}, pads({1, 0, 1, 0})}));  // three taps on one row
    CHECK(stays(2, {4, 2, 1, 3}, {{}, {}, pads({1, 0, 0, 0})}));  // two rows come of one
    CHECK(stays(1, {4, 1, 1, 3}, {}));                            // a channel
  }

  TEST_CASE("conv counts two operations a product") {
    const Fact x = f32({1, 2, 4}), w = f32({3, 2, 2}), out = f32({1, 3, 3});
    const Fact* in[] = {&x, &w};
    const Fact* outs[] = {&out};
    CHECK(Conv{}.cost(Facts(in), Facts(outs)).flops == 2 * 3 * 3 * 4);
  }

  TEST_CASE("conv_c1: no weights") { check_refused(Conv{}, {f32({1, 1, 3})}, "(C1)"); }
  TEST_CASE("conv_c2: two element types") {
    check_refused(Conv{}, {f32({1, 1, 3}), Fact::tensor(DatumType::f64, Shape{1, 1, 1})}, "(C2)");
  }
  TEST_CASE("conv_c3: two ranks") {
    check_refused(Conv{}, {f32({1, 1, 3}), f32({1, 1, 1, 1})}, "(C3)");
  }
  TEST_CASE("conv_c4: strides for other axes, and a window that does not fit") {
    check_refused(Conv{{1, 1}}, {f32({1, 1, 3}), f32({1, 1, 1})}, "(C4)");
    check_refused(Conv{{0}}, {f32({1, 1, 3}), f32({1, 1, 1})}, "(C4)");
    check_refused(Conv{}, {f32({1, 1, 3}), f32({1, 1, 5})}, "(C4)");
  }
  TEST_CASE("conv_c5: other channels") {
    check_refused(Conv{}, {f32({1, 2, 3}), f32({1, 1, 1})}, "(C5)");
  }
  TEST_CASE("conv_c6: groups that do not divide") {
    check_refused(Conv{.group = 2}, {f32({1, 2, 3}), f32({3, 1, 1})}, "(C6)");
  }
  TEST_CASE("conv_c7: a bias of another size") {
    check_refused(Conv{}, {f32({1, 1, 3}), f32({2, 1, 1}), f32({3})}, "(C7)");
  }
}
