#include <doctest/doctest.h>

#include "strata/core/ops/cast.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/unary.h"
#include "support/lowered.h"
#include "support/optimised.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr DatumType kBytes[] = {DatumType::u8, DatumType::i8};

/// Any bytes.
Tensor bytes(Noise& noise, DatumType type, const Shape& shape) {
  MutableTensor out(DatumType::i32, shape);
  const std::int64_t least = type == DatumType::u8 ? 0 : -128;
  for (std::int32_t& x : out.as<std::int32_t>())
    x = static_cast<std::int32_t>(noise.number(least, least + 255));
  return cast(std::move(out).freeze(), type);
}

/// A model being wired, and what its inputs are given.
struct Draft {
  enum class Given { constant, input };
  TypedModel model;
  ValueList values;
  int count = 0;

  OutletId add(const Tensor& value, Given given) {
    const std::string name = cat("x", count++);
    if (given == Given::constant) return model.constant(name, value);
    values.push_back(value);
    return model.add_source(name, Fact::tensor(value.dtype(), value.shape()));
  }
  OutletId wire(const TypedOp& op, const OutletIds& inputs) {
    return model.wire_one(cat("n", count++), op, inputs);
  }
  OutletId binary(BinaryOp op, OutletId a, OutletId b) { return wire(Binary{op}, {a, b}); }
  OutletId number(double value) { return model.constant(cat("c", count++), Tensor::scalar(value)); }
  /// i32(bytes) - i32(zero), without the difference when there is no zero point.
  OutletId centred(const Tensor& value, const std::optional<Tensor>& zero, Given given) {
    const OutletId wide = wire(Cast{DatumType::i32}, {add(value, given)});
    if (!zero) return wide;
    return binary(BinaryOp::sub, wide, wire(Cast{DatumType::i32}, {add(*zero, given)}));
  }
  OutletId requantised(OutletId sums, const Tensor& factor, const Tensor& offset, DatumType type) {
    const double least = type == DatumType::u8 ? 0 : -128;
    const OutletId scaled =
        binary(BinaryOp::mul, wire(Cast{DatumType::f64}, {sums}), add(factor, Given::constant));
    const OutletId shifted = binary(BinaryOp::add, scaled, add(offset, Given::constant));
    const OutletId raised =
        binary(BinaryOp::max, wire(Unary{UnaryOp::round}, {shifted}), number(least));
    return wire(Cast{type}, {binary(BinaryOp::min, raised, number(least + 255))});
  }
  OutletId dequantised(OutletId sums, const Tensor& scale, Given given) {
    return binary(BinaryOp::mul, wire(Cast{DatumType::f32}, {sums}), add(scale, given));
  }
};
using Given = Draft::Given;

enum class Becomes { only_kernel, kernel_and_more, no_kernel };

/// Checks that the last wire becomes a kernel of this name, and that no bit of it changes.
void check_integer(Draft draft, OutletId last, std::string_view kernel,
                   Becomes becomes = Becomes::only_kernel) {
  draft.model.add_output("y", last);
  const ValueList before = run_model(draft.model, draft.values);
  optimise(draft.model);
  CHECK(count_of_op(draft.model, kernel) == (becomes == Becomes::no_kernel ? 0U : 1U));
  std::size_t ops = 0;
  for (const TypedNode& node : draft.model.nodes())
    ops += !node.op.as<Const>() && !node.op.as<Source>();
  if (becomes == Becomes::only_kernel) CHECK(ops == 1U);
  const auto plan = Plan::build(draft.model);
  for (const std::size_t threads : {1, 2}) {
    Session session(plan, SessionOptions{.threads = threads});
    CHECK(session.run(draft.values) == before);
  }
}

Tensor numbers(DatumType type, const Shape& shape, double first, double step) {
  MutableTensor out(DatumType::f64, shape);
  for (double& x : out.as<double>()) x = first += step;
  return cast(std::move(out).freeze(), type);
}

constexpr std::string_view kMatMul = "IntegerMatMulKernel", kConv = "IntegerConvKernel";

}  // namespace

TEST_SUITE("integer kernels") {
  TEST_CASE("products of bytes less their zero points") {
    Noise noise(1);
    for (const DatumType a_type : kBytes)
      for (const DatumType b_type : kBytes)
        for (const Given b_given : {Given::constant, Given::input})
          for (int round = 0; round < 12; ++round) {
            const std::int64_t m = noise.number(1, 20), n = noise.number(1, 70),
                               k = noise.number(1, 50);
            std::optional<Tensor> a_zero, b_zero;
            if (round % 4 == 1) a_zero = bytes(noise, a_type, {});
            if (round % 4 >= 2) a_zero = bytes(noise, a_type, {m, 1});
            if (round % 3 == 1) b_zero = bytes(noise, b_type, {});
            if (round % 3 == 2) b_zero = bytes(noise, b_type, {n});
            Draft draft;
            const OutletId a = draft.centred(bytes(noise, a_type, {m, k}), a_zero, Given::input);
            const OutletId b = draft.centred(bytes(noise, b_type, {k, n}), b_zero, b_given);
            const OutletId y = draft.wire(MatMul{}, {a, b});
            const bool casts_zeros = a_zero || (b_zero && b_given == Given::input);
            check_integer(draft, y, kMatMul,
                          casts_zeros ? Becomes::kernel_and_more : Becomes::only_kernel);
          }
  }

  TEST_CASE("large products are shared among threads") {
    Noise noise(2);
    for (const Shape& sizes : {Shape{300, 64, 100}, Shape{3, 700, 900}}) {
      Draft draft;
      const OutletId a = draft.centred(bytes(noise, DatumType::u8, {sizes[0], sizes[1]}),
                                       std::nullopt, Given::input);
      const OutletId b = draft.centred(bytes(noise, DatumType::i8, {sizes[1], sizes[2]}),
                                       std::nullopt, Given::input);
      check_integer(draft, draft.wire(MatMul{}, {a, b}), kMatMul);
    }
  }

  TEST_CASE("batches of products, broadcast") {
    Noise noise(3);
    struct Shapes {
      Shape a, b;
    };
    for (const auto& [a_shape, b_shape] :
         {Shapes{{2, 3, 5, 7}, {7, 9}}, Shapes{{2, 1, 5, 7}, {3, 7, 9}}, Shapes{{5, 7}, {2, 7, 9}}})
      for (const bool has_zero : {false, true}) {
        std::optional<Tensor> zero;
        if (has_zero) zero = bytes(noise, DatumType::u8, {});
        Draft draft;
        const OutletId a = draft.centred(bytes(noise, DatumType::u8, a_shape), zero, Given::input);
        const OutletId b = draft.centred(bytes(noise, DatumType::u8, b_shape), zero, Given::input);
        check_integer(draft, draft.wire(MatMul{}, {a, b}), kMatMul,
                      has_zero ? Becomes::kernel_and_more : Becomes::only_kernel);
      }
  }

  TEST_CASE("sums of products scaled to floats, with a bias") {
    Noise noise(4);
    const Tensor one = numbers(DatumType::f32, {}, 0.0123, 0),
                 each = numbers(DatumType::f32, {37}, 0.01, 0.0007),
                 rows = numbers(DatumType::f32, {5, 1}, 0.01, 0.0007);
    for (const Given given : {Given::constant, Given::input})
      for (const Tensor& scale : {one, each, rows}) {
        Draft draft;
        const Tensor zero = bytes(noise, DatumType::u8, {});
        const OutletId a = draft.centred(bytes(noise, DatumType::u8, {5, 19}), zero, Given::input);
        const OutletId b =
            draft.centred(bytes(noise, DatumType::i8, {19, 37}), std::nullopt, Given::constant);
        const OutletId scaled = draft.dequantised(draft.wire(MatMul{}, {a, b}), scale, given);
        check_integer(draft, scaled, kMatMul, Becomes::kernel_and_more);
        const OutletId bias = draft.add(each, Given::constant);
        check_integer(draft, draft.binary(BinaryOp::add, bias, scaled), kMatMul,
                      Becomes::kernel_and_more);
      }
  }

  TEST_CASE("sums of products requantised") {
    Noise noise(5);
    for (const DatumType type : kBytes)
      for (const Tensor& factor :
           {numbers(DatumType::f64, {}, 0.0004, 0), numbers(DatumType::f64, {37}, 0.0001, 0.00003),
            numbers(DatumType::f64, {5, 1}, 0.0001, 0.0003)}) {
        Draft draft;
        const OutletId a =
            draft.centred(bytes(noise, DatumType::u8, {5, 19}), std::nullopt, Given::input);
        const OutletId b =
            draft.centred(bytes(noise, DatumType::i8, {19, 37}), std::nullopt, Given::constant);
        const Tensor offset = numbers(DatumType::f64, {}, 7, 0);
        const OutletId y = draft.requantised(draft.wire(MatMul{}, {a, b}), factor, offset, type);
        check_integer(draft, y, kMatMul);
      }
  }

  TEST_CASE("what is no product of bytes stays as it is") {
    Noise noise(6);
    const Tensor a = bytes(noise, DatumType::u8, {4, 6}), b = bytes(noise, DatumType::i8, {6, 8});
    {
      Draft draft;  // of numbers wider than bytes
      const OutletId x = draft.add(cast(a, DatumType::i32), Given::input);
      const OutletId w = draft.centred(b, std::nullopt, Given::constant);
      check_integer(draft, draft.wire(MatMul{}, {x, w}), kMatMul, Becomes::no_kernel);
    }
    {
      Draft draft;  // a column that spans 256
      const OutletId x = draft.centred(a, std::nullopt, Given::input);
      const Tensor wide = Tensor::of<std::int32_t>({6, 1}, {-128, 0, 0, 128, 0, 0});
      check_integer(draft, draft.wire(MatMul{}, {x, draft.add(wide, Given::constant)}), kMatMul,
                    Becomes::no_kernel);
    }
    {
      Draft draft;  // transposed
      const OutletId x =
          draft.centred(bytes(noise, DatumType::u8, {6, 4}), std::nullopt, Given::input);
      const OutletId w = draft.centred(b, std::nullopt, Given::constant);
      check_integer(draft, draft.wire(MatMul{true, false}, {x, w}), kMatMul, Becomes::no_kernel);
    }
    {
      Draft draft;  // a zero point for each column of the left operand
      const OutletId x = draft.centred(a, bytes(noise, DatumType::u8, {6}), Given::input);
      const OutletId w = draft.centred(b, std::nullopt, Given::constant);
      check_integer(draft, draft.wire(MatMul{}, {x, w}), kMatMul, Becomes::no_kernel);
    }
  }

  TEST_CASE("columns that are not bytes themselves, but less than 256 apart") {
    Noise noise(7);
    Draft draft;
    const OutletId x =
        draft.centred(bytes(noise, DatumType::u8, {3, 4}), std::nullopt, Given::input);
    const Tensor columns = Tensor::of<std::int32_t>(
        {4, 3}, {1000, -7, -5000, 1255, -128, -5001, 1001, 127, -5255, 1100, 0, -5100});
    check_integer(draft, draft.wire(MatMul{}, {x, draft.add(columns, Given::constant)}), kMatMul);
  }

  TEST_CASE("sums that others read are not converted") {
    Noise noise(8);
    Draft draft;
    const OutletId a =
        draft.centred(bytes(noise, DatumType::u8, {5, 19}), std::nullopt, Given::input);
    const OutletId b =
        draft.centred(bytes(noise, DatumType::i8, {19, 7}), std::nullopt, Given::constant);
    const OutletId sums = draft.wire(MatMul{}, {a, b});
    draft.model.add_output("sums", sums);
    const OutletId y =
        draft.dequantised(sums, numbers(DatumType::f32, {}, 0.1, 0), Given::constant);
    check_integer(draft, y, kMatMul, Becomes::kernel_and_more);
  }

  TEST_CASE("a scale that makes the sums larger is not theirs") {
    Noise noise(9);
    Draft draft;
    const OutletId a =
        draft.centred(bytes(noise, DatumType::u8, {1, 19}), std::nullopt, Given::input);
    const OutletId b =
        draft.centred(bytes(noise, DatumType::i8, {19, 1}), std::nullopt, Given::constant);
    const OutletId y = draft.dequantised(
        draft.wire(MatMul{}, {a, b}), numbers(DatumType::f32, {4, 3}, 0.1, 0.1), Given::constant);
    check_integer(draft, y, kMatMul, Becomes::kernel_and_more);
  }

  TEST_CASE("convolutions of bytes less their zero points") {
    Noise noise(10);
    struct Case {
      Conv op;
      Shape x, w;
    };
    const Padding around{Padding::Kind::fixed, {1, 1, 1, 1}};
    const std::vector<Case> cases{
        {{{}, {}, around, 1}, {1, 5, 9, 7}, {17, 5, 3, 3}},
        {{{2, 1}, {1, 2}, around, 1}, {2, 3, 9, 8}, {4, 3, 3, 2}},
        {{{2, 2}, {}, {Padding::Kind::same_lower, {}}, 1}, {1, 6, 9, 7}, {4, 6, 2, 4}},
        {{}, {2, 16, 6, 7}, {33, 16, 1, 1}},
        {{{2, 2}, {}, {}, 1}, {1, 8, 7, 6}, {3, 8, 1, 1}},
        {{{}, {}, around, 6}, {2, 6, 9, 7}, {6, 1, 3, 3}},
        {{{2, 2}, {}, around, 6}, {1, 6, 9, 7}, {12, 1, 3, 3}},
        {{{}, {}, {}, 2}, {1, 6, 9, 7}, {4, 3, 2, 2}},
        {{}, {1, 3, 40}, {5, 3, 4}},
        {{{}, {}, {}, 1}, {1, 2, 5, 6, 7}, {3, 2, 2, 3, 2}},
    };
    for (const Case& c : cases)
      for (const DatumType type : kBytes)
        for (int round = 0; round < 6; ++round) {
          Shape one_each(c.w.size(), 1);
          one_each[0] = c.w[0];
          std::optional<Tensor> x_zero, w_zero;
          if (round % 3 != 0) x_zero = bytes(noise, type, {});
          if (round % 2 != 0) w_zero = bytes(noise, DatumType::u8, one_each);
          Draft draft;
          const DatumType w_type = w_zero ? DatumType::u8 : DatumType::i8;
          OutletIds inputs{draft.centred(bytes(noise, type, c.x), x_zero, Given::input),
                           draft.centred(bytes(noise, w_type, c.w), w_zero, Given::constant)};
          if (round > 2)
            inputs.push_back(
                draft.add(cast(numbers(DatumType::f64, {c.w[0]}, -900, 177), DatumType::i32),
                          Given::constant));
          const OutletId sums = draft.wire(c.op, inputs);
          check_integer(draft, sums, kConv,
                        x_zero ? Becomes::kernel_and_more : Becomes::only_kernel);
          Shape channels(one_each.begin(), one_each.end() - 1);
          const auto left = x_zero ? Becomes::kernel_and_more : Becomes::only_kernel;
          Draft bytes_out = draft, floats_out = draft;
          check_integer(bytes_out,
                        bytes_out.requantised(sums, numbers(DatumType::f64, channels, 2e-4, 1e-4),
                                              numbers(DatumType::f64, {}, -3, 0), type),
                        kConv, left);
          const OutletId floats =
              floats_out.dequantised(sums, numbers(DatumType::f32, {}, 0.02, 0), Given::constant);
          const OutletId bias =
              floats_out.add(numbers(DatumType::f32, channels, -2, 0.3), Given::constant);
          check_integer(floats_out, floats_out.binary(BinaryOp::add, floats, bias), kConv, left);
        }
  }

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
          check_all(draft, draft.wire(MatMul{false, is_transposed}, {a, b}),
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

  TEST_CASE("large convolutions are shared among threads") {
    Noise noise(11);
    const Padding around{Padding::Kind::fixed, {1, 1, 1, 1}};
    struct Case {
      std::int64_t group;
      Shape x, w;
    };
    for (const auto& [group, x_shape, w_shape] :
         {Case{1, {2, 20, 40, 41}, {30, 20, 3, 3}}, Case{64, {1, 64, 60, 50}, {64, 1, 3, 3}},
          Case{1, {1, 64, 5, 5}, {150, 64, 3, 3}}}) {
      Draft draft;
      const OutletId x =
          draft.centred(bytes(noise, DatumType::u8, x_shape), std::nullopt, Given::input);
      const OutletId w =
          draft.centred(bytes(noise, DatumType::u8, w_shape), std::nullopt, Given::constant);
      check_integer(draft, draft.wire(Conv{{}, {}, around, group}, {x, w}), kConv);
    }
  }

  TEST_CASE("convolutions that padding, weights or zero points keep from being one of bytes") {
    Noise noise(12);
    const Tensor image = bytes(noise, DatumType::u8, {1, 3, 6, 6}),
                 kernel = bytes(noise, DatumType::i8, {2, 3, 3, 3});
    {
      Draft draft;  // weights that are not known
      const OutletId x = draft.centred(image, std::nullopt, Given::input);
      const OutletId w = draft.centred(kernel, std::nullopt, Given::input);
      check_integer(draft, draft.wire(Conv{}, {x, w}), kConv, Becomes::no_kernel);
    }
    {
      Draft draft;  // a zero point for each channel of the image
      const OutletId x = draft.centred(image, bytes(noise, DatumType::u8, {3, 1, 1}), Given::input);
      const OutletId w = draft.centred(kernel, std::nullopt, Given::constant);
      check_integer(draft, draft.wire(Conv{}, {x, w}), kConv, Becomes::no_kernel);
    }
    {
      Draft draft;  // a zero point that no pixel can have
      const OutletId wide = draft.wire(Cast{DatumType::i32}, {draft.add(image, Given::input)});
      const OutletId zero = draft.add(Tensor::scalar<std::int32_t>(256), Given::constant);
      const OutletId x = draft.binary(BinaryOp::sub, wide, zero);
      const OutletId w = draft.centred(kernel, std::nullopt, Given::constant);
      check_integer(draft, draft.wire(Conv{}, {x, w}), kConv, Becomes::no_kernel);
    }
  }
}
