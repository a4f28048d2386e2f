#include "integer_draft.h"
#include "strata/core/ops/conv.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("integer conv kernel") {
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
        {{}, {1, 2, 9, 5}, {4, 2, 3, 1}},
        {{}, {1, 2, 9, 1}, {4, 2, 3, 1}},
        {{{}, {}, {}, 6}, {2, 6, 9, 5}, {6, 1, 3, 1}},
        {{{2, 2}, {}, {}, 6}, {1, 6, 9, 1}, {12, 1, 3, 1}},
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

  TEST_CASE("the largest sums of one channel are exact") {
    for (const Shape& kernel : {Shape{16, 16}, Shape{1, 258}, Shape{1, 259}, Shape{17, 17}}) {
      CAPTURE(kernel);
      Draft draft;
      const auto filled = [&](const Shape& shape, double value) {
        return numbers(DatumType::u8, shape, value, 0);
      };
      const OutletId x = draft.centred(filled({1, 2, kernel[0] + 1, kernel[1] + 3}, 255),
                                       filled({}, 0), Given::input);
      Shape weights{2, 1};
      weights.insert(weights.end(), kernel.begin(), kernel.end());
      const OutletId w = draft.centred(filled(weights, 0), filled({}, 255), Given::constant);
      const OutletId one = draft.add(numbers(DatumType::i32, {2}, 0, 1), Given::constant);
      const OutletId sums = draft.wire(Conv{{}, {}, {}, 2}, {x, w, one});  // odd and even ones
      check_integer(draft, sums, kConv, Becomes::kernel_and_more);
    }
  }

  TEST_CASE("weights of one channel that are far from zero stay words") {
    for (const std::int64_t first : {7000, 70000}) {  // floats hold sums of the lesser ones
      Noise noise(15);
      Draft draft;
      const OutletId x =
          draft.centred(bytes(noise, DatumType::u8, {1, 2, 6, 7}), std::nullopt, Given::input);
      const Tensor w = numbers(DatumType::i32, {2, 1, 3, 3}, static_cast<double>(first), 1);
      check_integer(draft, draft.wire(Conv{{}, {}, {}, 2}, {x, draft.add(w, Given::constant)}),
                    kConv);
    }
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
          Case{3, {2, 3, 130, 140}, {6, 1, 5, 5}}, Case{7, {3, 7, 50, 3}, {7, 1, 3, 3}},
          Case{1, {1, 64, 5, 5}, {150, 64, 3, 3}}, Case{1, {1, 600, 6, 100}, {16, 600, 3, 3}},
          Case{1, {1, 32, 14, 14}, {64, 32, 3, 3}}}) {
      Draft draft;
      const OutletId x =
          draft.centred(bytes(noise, DatumType::u8, x_shape), std::nullopt, Given::input);
      const OutletId w =
          draft.centred(bytes(noise, DatumType::u8, w_shape), std::nullopt, Given::constant);
      check_integer(draft, draft.wire(Conv{{}, {}, around, group}, {x, w}), kConv);
    }
  }

  TEST_CASE("small images of pointwise convolutions are shared by their parts or by channels") {
    Noise noise(16);
    struct Case {
      std::int64_t to, from;
      Shape image;
    };
    for (const auto& [to, from, image] :
         {Case{64, 300, {14, 14}}, Case{300, 64, {14, 14}}, Case{160, 500, {7, 7}},
          Case{15, 90, {31, 33}}, Case{13, 700, {11, 12}}, Case{45, 50, {2, 20, 13}}}) {
      CAPTURE(to);
      CAPTURE(image);
      Draft draft;
      Shape x_shape{2, from}, w_shape{to, from};
      x_shape.insert(x_shape.end(), image.begin(), image.end());
      w_shape.resize(2 + image.size(), 1);
      const OutletId x =
          draft.centred(bytes(noise, DatumType::u8, x_shape), std::nullopt, Given::input);
      const OutletId w = draft.centred(bytes(noise, DatumType::u8, w_shape),
                                       bytes(noise, DatumType::u8, {}), Given::constant);
      check_integer(draft, draft.wire(Conv{}, {x, w}), kConv);
    }
  }

  TEST_CASE("many weights stay bytes until then") {
    Noise noise(13);
    const Shape weights{64, 80, 1, 1};
    for (const DatumType type : kBytes)
      for (const Shape& zeros : {Shape{}, Shape{1, 1, 1}, Shape{64, 1, 1, 1}}) {
        Draft draft;
        std::optional<Tensor> w_zero;
        if (!zeros.empty()) w_zero = bytes(noise, type, zeros);
        const OutletId x =
            draft.centred(bytes(noise, DatumType::u8, {1, 80, 3, 3}), std::nullopt, Given::input);
        const OutletId w = draft.centred(bytes(noise, type, weights), w_zero, Given::constant);
        check_kept_bytes(draft, draft.wire(Conv{}, {x, w}), weights, kConv);
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
      Draft draft;  // a zero point for each input channel of the weights
      const OutletId x = draft.centred(image, std::nullopt, Given::input);
      const OutletId w =
          draft.centred(kernel, bytes(noise, DatumType::i8, {3, 1, 1}), Given::constant);
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
