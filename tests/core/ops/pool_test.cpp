#include "strata/core/ops/pool.h"

#include <doctest/doctest.h>

#include <cmath>

#include "strata/core/ops/reduce.h"
#include "strata/core/transform.h"
#include "support/f32_fact.h"
#include "support/op_case.h"
#include "support/optimised.h"

using namespace strata;
using namespace strata::tests;

namespace {

Padding pads(Shape amounts) { return {Padding::Kind::fixed, std::move(amounts)}; }

}  // namespace

TEST_SUITE("pool") {
  const Tensor x = Tensor::of<float>({1, 1, 5}, {3, 1, 4, 1, 5});

  TEST_CASE("pool takes the maximum of each window") {
    check_op(Pool{.kernel = {2}}, {x}, {Tensor::of<float>({1, 1, 4}, {3, 4, 4, 5})});
    check_op(Pool{.kernel = {2}, .strides = {2}}, {x}, {Tensor::of<float>({1, 1, 2}, {3, 4})});
    check_op(Pool{.kernel = {2}, .dilations = {3}}, {x}, {Tensor::of<float>({1, 1, 2}, {3, 5})});
  }

  TEST_CASE("pool never takes the maximum of padding") {
    const Tensor negative = Tensor::of<float>({1, 1, 2}, {-3, -1});
    check_op(Pool{.kernel = {2}, .padding = pads({1, 1})}, {negative},
             {Tensor::of<float>({1, 1, 3}, {-3, -1, -1})});
  }

  TEST_CASE("pool takes the maximum of integers") {
    check_op(Pool{.kernel = {2}}, {Tensor::of<std::int8_t>({1, 1, 3}, {-5, -7, 2})},
             {Tensor::of<std::int8_t>({1, 1, 2}, {-5, 2})});
  }

  TEST_CASE("the maximum of a window with NaN is NaN") {
    const Tensor out =
        Pool{.kernel = {2}}.eval(TensorList{Tensor::of<float>({1, 1, 3}, {1, NAN, 2})})[0];
    CHECK(std::isnan(out.as<float>()[0]));
    CHECK(std::isnan(out.as<float>()[1]));
  }

  TEST_CASE("pool tells where the first maximum lies in the whole input") {
    const Tensor two = Tensor::of<float>({2, 1, 2, 2}, {1, 9, 9, 2, 0, 1, 2, 3});
    const Tensor max = Tensor::of<float>({2, 1, 1, 1}, {9, 3});
    check_op(Pool{.kernel = {2, 2}, .indices = PoolIndices::row_major}, {two},
             {max, Tensor::of<std::int64_t>({2, 1, 1, 1}, {1, 7})});
    check_op(Pool{.kernel = {2, 2}, .indices = PoolIndices::column_major}, {two},
             {max, Tensor::of<std::int64_t>({2, 1, 1, 1}, {2, 7})});
  }

  TEST_CASE("one window that is all of the image is a reduction") {
    const auto becomes_reduction = [](const Pool& op, const Shape& image) {
      TypedModel model;
      const OutletId in = model.add_source("x", Fact::tensor(DatumType::f32, image));
      model.add_output("y", model.wire_one("y", op, {in}));
      MutableTensor values(DatumType::f32, image);
      for (std::size_t i = 0; i < values.as<float>().size(); ++i)
        values.as<float>()[i] = static_cast<float>(i * 7 % 11);
      const ValueList given{Value(std::move(values).freeze())};
      const ValueList expected = run_model(model, given);
      declutter(model);
      CHECK(run_model(model, given)[0] == expected[0]);
      return model.node(model.outputs()[0].outlet.node).op.as<Reduce>() != nullptr;
    };
    for (const PoolKind kind : {PoolKind::max, PoolKind::average}) {
      CHECK(becomes_reduction({.kind = kind, .kernel = {2, 4}, .strides = {2, 2}}, {2, 3, 2, 4}));
      CHECK_FALSE(becomes_reduction({.kind = kind, .kernel = {2, 3}}, {2, 3, 2, 4}));
      CHECK_FALSE(becomes_reduction({.kind = kind, .kernel = {2, 4}, .padding = pads({1, 0, 0, 0})},
                                    {2, 3, 2, 4}));
    }
    CHECK_FALSE(becomes_reduction({.kind = PoolKind::max}, {3, 3}));  // over no axis, not over all
    CHECK_FALSE(becomes_reduction({.kind = PoolKind::lp, .kernel = {2, 4}}, {2, 3, 2, 4}));
  }

  TEST_CASE("pool averages with or without the padding") {
    Pool op{.kind = PoolKind::average, .kernel = {2}, .strides = {2}, .padding = pads({1, 0})};
    check_op(op, {x}, {Tensor::of<float>({1, 1, 3}, {3, 2.5, 3})});
    op.count_padding = true;
    check_op(op, {x}, {Tensor::of<float>({1, 1, 3}, {1.5, 2.5, 3})});
  }

  TEST_CASE("pool rounded up keeps a last window that begins in the input") {
    const Pool op{.kernel = {2}, .strides = {2}, .rounding = WindowRounding::ceil};
    check_op(op, {x}, {Tensor::of<float>({1, 1, 3}, {3, 4, 5})});
  }

  TEST_CASE("pool rounded up drops a last window that would begin in the padding") {
    // 2 + 1 + 1 - 2 = 2, over 3, up: 1, so 2 windows; the second begins at 3 - 1 = 2, past the
    // input.
    const Pool op{
        .kernel = {2}, .strides = {3}, .padding = pads({1, 1}), .rounding = WindowRounding::ceil};
    check_op(op, {Tensor::of<float>({1, 1, 2}, {7, 8})}, {Tensor::of<float>({1, 1, 1}, {7})});
  }

  TEST_CASE("pool does not divide by what lies beyond the padded input") {
    const Pool op{.kind = PoolKind::average,
                  .kernel = {2},
                  .strides = {2},
                  .rounding = WindowRounding::ceil,
                  .count_padding = true};
    check_op(op, {x}, {Tensor::of<float>({1, 1, 3}, {2, 2.5, 5})});
  }

  TEST_CASE("pool takes the root of the sum of powers") {
    const Tensor sides = Tensor::of<float>({1, 1, 2}, {-3, 4});
    check_op(Pool{.kind = PoolKind::lp, .kernel = {2}}, {sides},
             {Tensor::of<float>({1, 1, 1}, {5})});
    check_op(Pool{.kind = PoolKind::lp, .kernel = {2}, .p = 1}, {sides},
             {Tensor::of<float>({1, 1, 1}, {7})});
  }

  TEST_CASE("pool works out symbolic sizes") {
    const Fact in = Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 8, Dim::symbol("H")}});
    CHECK(facts_of(Pool{.kernel = {2}, .strides = {2}}, {in})[0].shape.to_string() ==
          "[N,8,floor_div(H,2)]");
    const Fact open = Fact::tensor(DatumType::f32, ShapeFact::open());
    CHECK(facts_of(Pool{.kernel = {2}}, {open})[0].shape.rank() == 3);
  }

  TEST_CASE("pool_c1: two inputs") {
    check_refused(Pool{.kernel = {1}}, {f32({1, 1, 1}), f32({1, 1, 1})}, "(C1)");
  }
  TEST_CASE("pool_c2: an average of integers") {
    check_refused(Pool{.kind = PoolKind::average, .kernel = {1}},
                  {Fact::tensor(DatumType::i32, Shape{1, 1, 1})}, "(C2)");
  }
  TEST_CASE("pool_c3: a kernel of another rank") {
    check_refused(Pool{.kernel = {1, 1}}, {f32({1, 1, 1})}, "(C3)");
  }
  TEST_CASE("pool_c4: pads for other axes") {
    check_refused(Pool{.kernel = {1}, .padding = pads({1})}, {f32({1, 1, 1})}, "(C4)");
  }
  TEST_CASE("pool_c5: indices of averages") {
    check_refused(Pool{.kind = PoolKind::average, .kernel = {1}, .indices = PoolIndices::row_major},
                  {f32({1, 1, 1})}, "(C5)");
  }
}
