#include "integer_draft.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/quantize.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("dequantised products") {
  TEST_CASE("products of what bytes stand for, quantised") {
    // Scales are powers of two, so that floats hold every product and sum.
    Noise noise(13);
    const Tensor x_scale = numbers(DatumType::f32, {}, 0.25, 0),
                 y_scale = numbers(DatumType::f32, {}, 8, 0);
    const Tensor channel_scales = Tensor::of<float>({4}, {0.5, 0.125, 0.25, 2});
    const auto of_bytes = [&](Draft& draft, const Tensor& value, const Tensor& scale,
                              const std::optional<Tensor>& zero, Given given, std::int64_t axis) {
      OutletIds inputs{draft.add(value, given), draft.add(scale, Given::constant)};
      if (zero) inputs.push_back(draft.add(*zero, Given::constant));
      return draft.wire(Dequantize{DatumType::f32, axis}, inputs);
    };
    const auto check_all = [&](const Draft& draft, OutletId floats, const Tensor& bias,
                               std::string_view kernel) {
      check_integer(draft, floats, kernel);
      Draft quantised = draft;
      const OutletId biased =
          quantised.binary(BinaryOp::add, floats, quantised.add(bias, Given::constant));
      for (const bool is_relu : {false, true})
        for (const DatumType type : kBytes) {
          Draft each = quantised;
          const OutletId x = is_relu ? each.wire(Unary{UnaryOp::relu}, {biased}) : biased;
          const OutletId zero = each.add(numbers(type, {}, 17, 0), Given::constant);
          const OutletId scale = each.add(y_scale, Given::constant);
          check_integer(each, each.wire(Quantize{type}, {x, scale, zero}), kernel);
        }
    };
    for (const DatumType type : kBytes) {
      const Tensor zero = bytes(noise, type, {}), zeros = bytes(noise, DatumType::i8, {4});
      for (const bool is_transposed : {false, true})
        for (const Tensor& scale : {x_scale, channel_scales}) {
          Draft draft;
          const OutletId a =
              of_bytes(draft, bytes(noise, type, {5, 9}), x_scale, zero, Given::input, 0);
          const Shape shape = is_transposed ? Shape{4, 9} : Shape{9, 4};
          const OutletId b = of_bytes(draft, bytes(noise, DatumType::i8, shape), scale,
                                      scale.rank() == 0 ? std::nullopt : std::optional(zeros),
                                      Given::constant, is_transposed ? 0 : 1);
          check_all(draft, draft.wire(MatMul{.transpose_b = is_transposed}, {a, b}),
                    numbers(DatumType::f32, {4}, -3.5, 2.25), kMatMul);
        }
      Draft both;  // neither is known
      const OutletId a =
          of_bytes(both, bytes(noise, type, {3, 5, 9}), x_scale, zero, Given::input, 0);
      const OutletId b =
          of_bytes(both, bytes(noise, type, {3, 9, 6}), x_scale, zero, Given::input, 0);
      check_integer(both, both.wire(MatMul{}, {a, b}), kMatMul);
      for (const Tensor& scale : {x_scale, channel_scales}) {
        Draft draft;
        const Padding around{Padding::Kind::fixed, {1, 1, 1, 1}};
        const OutletId x =
            of_bytes(draft, bytes(noise, type, {2, 3, 7, 6}), x_scale, zero, Given::input, 0);
        const OutletId w = of_bytes(draft, bytes(noise, DatumType::i8, {4, 3, 3, 3}), scale,
                                    std::nullopt, Given::constant, 0);
        const OutletId bias =
            of_bytes(draft, cast(numbers(DatumType::f64, {4}, -99, 67), DatumType::i32), x_scale,
                     std::nullopt, Given::constant, 0);
        const OutletId y = draft.wire(Conv{{}, {}, around, 1}, {x, w, bias});
        check_integer(draft, y, kConv);
        const OutletId scale_y = draft.add(y_scale, Given::constant);
        check_integer(draft, draft.wire(Quantize{type}, {y, scale_y}), kConv);
      }
      for (const Shape& strides : {Shape{}, Shape{2, 2}}) {
        Draft draft;
        const OutletId x =
            of_bytes(draft, bytes(noise, type, {2, 4, 9, 21}), x_scale, zero, Given::input, 0);
        const OutletId w = of_bytes(draft, bytes(noise, DatumType::i8, {4, 1, 3, 3}),
                                    channel_scales, zeros, Given::constant, 0);
        check_all(draft, draft.wire(Conv{strides, {}, {}, 4}, {x, w}),
                  numbers(DatumType::f32, {4, 1, 1}, -3.5, 2.25), kConv);
      }
    }
  }

  TEST_CASE("products of floats that are not those of bytes with one scale stay so") {
    Noise noise(14);
    const Tensor a = bytes(noise, DatumType::u8, {4, 6}), b = bytes(noise, DatumType::i8, {6, 8});
    const Tensor scales = numbers(DatumType::f32, {6}, 0.5, 0.25);
    for (const bool scales_a : {false, true}) {  // along the axis that is summed
      Draft draft;
      const OutletId scale = draft.add(scales, Given::constant),
                     one = draft.add(Tensor::scalar(0.5F), Given::constant);
      const OutletId left = draft.wire(Dequantize{DatumType::f32, 1},
                                       {draft.add(a, Given::input), scales_a ? scale : one});
      const OutletId right = draft.wire(Dequantize{DatumType::f32, 0},
                                        {draft.add(b, Given::constant), scales_a ? one : scale});
      draft.model.add_output("y", draft.wire(MatMul{}, {left, right}));
      optimise(draft.model);
      CHECK(count_of_op(draft.model, kMatMul) == 0);
    }
    Draft tiny;  // the product of the scales would lose bits
    const OutletId little = tiny.add(Tensor::scalar(1e-22F), Given::constant);
    tiny.model.add_output(
        "y",
        tiny.wire(MatMul{}, {tiny.wire(Dequantize{}, {tiny.add(a, Given::input), little}),
                             tiny.wire(Dequantize{}, {tiny.add(b, Given::constant), little})}));
    optimise(tiny.model);
    CHECK(count_of_op(tiny.model, kMatMul) == 0);
    Draft deep;  // sums might leave 32 bits
    const OutletId scale = deep.add(Tensor::scalar(0.5F), Given::constant);
    const OutletId left = deep.wire(
        Dequantize{}, {deep.add(bytes(noise, DatumType::u8, {1, 40000}), Given::input), scale});
    const OutletId right = deep.wire(
        Dequantize{}, {deep.add(bytes(noise, DatumType::u8, {40000, 1}), Given::constant), scale});
    deep.model.add_output("y", deep.wire(MatMul{}, {left, right}));
    optimise(deep.model);
    CHECK(count_of_op(deep.model, kMatMul) == 0);
  }
}
