#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernel_ops/integer_draft.h"
#include "kernel_ops/pool_places_kernel.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/deconv.h"
#include "strata/core/ops/lrn.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/resize.h"
#include "strata/core/ops/unary.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "support/lowered.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// Kernels sum in f32 what `eval` sums in double.
constexpr KernelTolerance kSums{1e-6, 3e-6};
constexpr KernelTolerance kProducts{1e-6, 3e-5};

/// Half integers below 5: of wide ones and small ones together, f32 keeps only the wide.
Tensor image_of(Noise& noise, const Shape& shape) {
  return cast(noise.tensor(DatumType::f16, shape), DatumType::f32);
}

Tensor floats(const std::vector<float>& values) { return Tensor::vector<float>(values); }

/// Names of the ops that `op` on f32 inputs of these facts is optimised to.
std::vector<std::string> lowered_names(const TypedOp& op, const FactList& inputs,
                                       const std::vector<Tensor>& constants = {}) {
  TypedModel model;
  OutletIds wires;
  for (const Fact& fact : inputs) wires.push_back(model.add_source(cat("x", wires.size()), fact));
  for (const Tensor& constant : constants)
    wires.push_back(model.constant(cat("c", wires.size()), constant));
  model.add_output("y", model.wire("y", op, wires)[0]);
  optimise(model);
  std::vector<std::string> names;
  for (const TypedNode& node : model.nodes())
    if (node.op) names.push_back(std::string(node.op.name()));
  return names;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

Fact image(std::initializer_list<Dim> dims) {
  return Fact::tensor(DatumType::f32, std::vector<Dim>(dims));
}

/// A max Pool, and the shape of an image for it.
struct AnyWindows {
  Pool pool;
  Shape x;
};
AnyWindows any_windows(Noise& noise, WindowRounding rounding) {
  AnyWindows any{{.kind = PoolKind::max, .rounding = rounding},
                 {noise.number(1, 2), noise.number(1, 3)}};
  any.pool.padding.kind = Padding::Kind::fixed;
  const auto axes = static_cast<std::size_t>(noise.number(1, 3));
  for (std::size_t i = 0; i < axes; ++i) {
    any.pool.kernel.push_back(noise.number(1, 4));
    any.pool.strides.push_back(noise.number(1, 3));
    any.pool.dilations.push_back(noise.number(1, 2));
    any.x.push_back(noise.number(7, axes == 1 ? 80 : 20));
  }
  for (std::size_t i = 0; i < 2 * axes; ++i)
    any.pool.padding.amounts.push_back(noise.number(0, any.pool.kernel[i % axes] - 1));
  return any;
}

}  // namespace

TEST_SUITE("image kernels") {
  TEST_CASE("lrn of any size, power and rank") {
    Noise noise(1);
    for (const std::int64_t size : {1, 2, 3, 5, 8})
      for (const float beta : {0.75F, 0.5F, 1.3F})
        for (const std::size_t rank : {2, 3, 4})
          check_lowered(Lrn{0.3F, beta, 1.5F, size}, {{image_of(noise, noise.shape(rank, 1, 9))}},
                        "LrnKernel", kSums);
    check_lowered(Lrn{}, {{image_of(noise, {2, 3, 40, 41})}}, "LrnKernel", kSums);
    check_lowered(Lrn{}, {{image_of(noise, {2, 0, 4})}}, "LrnKernel", kSums);
  }

  TEST_CASE("lrn that may divide by zero or a negative number stays as it is") {
    const FactList x{image({1, 4, 5, 5})};
    CHECK(has(lowered_names(Lrn{1, 0.75F, 1, 3}, x), "LrnKernel"));
    for (const Lrn& lrn : {Lrn{1, 0.75F, 0, 3}, Lrn{-1, 0.75F, 1, 3}, Lrn{1, -0.75F, 1, 3},
                           Lrn{1, 20, 1, 3}, Lrn{0, 0.75F, 1, 3}, Lrn{1, 0.75F, NAN, 3}})
      CHECK(has(lowered_names(lrn, x), "Lrn"));
  }

  TEST_CASE("resizes by scales, in every mode and coordinate system") {
    Noise noise(2);
    for (const auto& [mode, mode_name] : enumerators(ResizeMode::nearest))
      for (const auto& [coordinates, coordinates_name] :
           enumerators(ResizeCoordinates::half_pixel)) {
        if (coordinates == ResizeCoordinates::tf_crop_and_resize) continue;
        for (const std::vector<float>& scales : {std::vector<float>{1, 1, 2, 2},
                                                 {1, 1, 0.5F, 1.7F},
                                                 {1, 1, 1, 3},
                                                 {1, 1, 2.5F, 1},
                                                 {1, 2, 0.6F, 1},
                                                 {2, 1, 1.5F, 0.3F}}) {
          Resize resize{.mode = mode, .coordinates = coordinates};
          CAPTURE(mode_name);
          CAPTURE(coordinates_name);
          check_lowered(resize, {{image_of(noise, {2, 3, 9, 21})}, {floats(scales), true}},
                        "ResizeKernel", mode == ResizeMode::nearest ? KernelTolerance{} : kSums);
        }
      }
  }

  TEST_CASE("resizes that copy elements of any type") {
    Noise noise(5);
    for (const DatumType type : {DatumType::boolean, DatumType::u8, DatumType::i8, DatumType::u16,
                                 DatumType::i32, DatumType::i64, DatumType::f64, DatumType::c128})
      for (const std::vector<float>& scales : {std::vector<float>{1, 1, 2, 2},
                                               {1, 1, 0.5F, 1.7F},
                                               {1, 1, 1, 2},
                                               {1, 1, 2.5F, 1},
                                               {2, 1, 3, 0.3F}}) {
        CAPTURE(type);
        const Tensor x = noise.tensor(type, {2, 3, 9, 37});
        check_lowered(Resize{}, {{x}, {floats(scales), true}}, "ResizeKernel", {});
      }
  }

  TEST_CASE("resizes with every way to round, to weigh and to keep the aspect ratio") {
    Noise noise(3);
    const Tensor x = image_of(noise, {1, 2, 10, 13});
    const auto check_fixed = [&](const Resize& resize, const Tensor& target) {
      check_lowered_when_fixed(resize, {{x}, {target, true}}, "ResizeKernel", kSums);
    };
    const auto check = [&](const Resize& resize, const Tensor& target) {
      check_lowered(resize, {{x}, {target, true}}, "ResizeKernel", kSums);
    };
    for (const auto& [nearest, name] : enumerators(NearestMode::floor))
      check({.nearest = nearest}, floats({1, 1, 1.3F, 0.7F}));
    for (const ResizeMode mode : {ResizeMode::linear, ResizeMode::cubic}) {
      check_fixed({.mode = mode, .antialias = true}, floats({1, 1, 0.4F, 0.2F}));
      check({.mode = mode, .exclude_outside = true}, floats({1, 1, 1.5F, 0.5F}));
      check({.mode = mode, .cubic_a = -0.5}, floats({1, 1, 2, 2}));
      check({.mode = mode, .axes = Shape{-1, 2}}, floats({2, 3}));
      check({.mode = mode}, noise.integers(DatumType::i64, {1, 2, 5, 40}));
      for (const AspectRatio ratio : {AspectRatio::not_larger, AspectRatio::not_smaller})
        check_fixed({.mode = mode, .axes = Shape{2, 3}, .aspect_ratio = ratio},
                    noise.integers(DatumType::i64, {17, 21}));
    }
  }

  TEST_CASE("resizes to sizes that only the run tells, some of which may be those of the input") {
    Noise noise(6);
    const float inf = INFINITY;
    const Tensor x = Tensor::of<float>({1, 2, 2, 3}, {1, inf, 3, 4, 5, -inf, 7, NAN, 9, 2, 4, 6});
    for (const auto& [mode, name] : enumerators(ResizeMode::nearest))
      for (const std::vector<std::int64_t>& sizes :
           {std::vector<std::int64_t>{1, 2, 2, 3}, {1, 2, 5, 3}, {1, 4, 1, 6}, {1, 2, 0, 3}}) {
        CAPTURE(name);
        check_lowered(Resize{.mode = mode}, {{x}, {noise.integers(DatumType::i64, sizes)}},
                      "ResizeKernel", kSums);
      }
  }

  TEST_CASE("parts of the input, and what lies outside of it") {
    Noise noise(4);
    const Tensor x = image_of(noise, {1, 2, 8, 9});
    for (const auto& [mode, name] : enumerators(ResizeMode::nearest))
      for (const std::vector<float>& roi : {std::vector<float>{0, 0, 0.2F, 0.3F, 1, 1, 0.7F, 0.8F},
                                            {0, 0, -0.3F, 0.4F, 1, 1, 0.5F, 1.6F},
                                            {0, 0, 1.2F, 0, 1, 1, 1.5F, 1}}) {
        const Resize resize{.mode = mode,
                            .coordinates = ResizeCoordinates::tf_crop_and_resize,
                            .extrapolation = 10.5};
        CAPTURE(name);
        check_lowered_when_fixed(
            resize,
            {{x}, {noise.integers(DatumType::i64, {1, 2, 7, 20}), true}, {floats(roi), true}},
            "ResizeKernel", kSums);
      }
  }

  TEST_CASE(
      "a resize is lowered for any sizes, but not to smooth open ones or for turned regions") {
    const Dim n = Dim::symbol("N");
    const Resize linear{.mode = ResizeMode::linear};
    const Tensor twice = floats({1, 1, 2, 2});
    CHECK(has(lowered_names(linear, {image({n, 3, 8, 8})}, {twice}), "ResizeKernel"));
    CHECK(has(lowered_names(linear, {image({1, 3, 8, n})}, {twice}), "ResizeTables"));
    CHECK(
        has(lowered_names(linear, {image({n, 3, 8, 8})}, {floats({2, 1, 2, 2})}), "ResizeTables"));
    const Resize smooth{.mode = ResizeMode::linear, .antialias = true};
    CHECK(has(lowered_names(smooth, {image({1, 3, 8, n})}, {twice}), "Resize"));
    const Fact scales = Fact::tensor(DatumType::f32, Shape{4});
    CHECK(has(lowered_names(linear, {image({1, 3, 8, 8}), scales}), "Resize"));
    const Resize crop{.coordinates = ResizeCoordinates::tf_crop_and_resize};
    CHECK(has(lowered_names(crop, {image({1, 1, 8, 8})},
                            {floats({1, 1, 1, 1}), floats({0, 0, 0, 1, 1, 1, 1, 0})}),
              "Resize"));
    const Fact integers = Fact::tensor(DatumType::i32, Shape{1, 1, 4, 4});
    CHECK(has(lowered_names(linear, {integers}, {twice}), "Resize"));
  }

  TEST_CASE("the greatest of bytes in windows of any geometry") {
    Noise noise(17);
    for (const DatumType type : {DatumType::u8, DatumType::i8})
      for (const WindowRounding rounding : {WindowRounding::floor, WindowRounding::ceil})
        for (int round = 0; round < 60; ++round) {
          const auto [pool, x] = any_windows(noise, rounding);
          check_lowered(pool, {{bytes(noise, type, x)}}, "PoolKernel");
        }
  }

  TEST_CASE("the greatest of bytes of images that are cut, and in windows as large as those") {
    Noise noise(19);
    const Padding around{.kind = Padding::Kind::fixed, .amounts = {1, 2, 0, 1}};
    const Pool small{.kind = PoolKind::max, .kernel = {3, 3}, .strides = {2, 1}, .padding = around};
    Pool large{.kind = PoolKind::max, .kernel = {120, 130}, .strides = {1, 2}, .padding = around};
    for (const DatumType type : {DatumType::u8, DatumType::i8}) {
      check_lowered(small, {{bytes(noise, type, {1, 2, 150, 170})}}, "PoolKernel");
      check_lowered(small, {{bytes(noise, type, {1, 1, 4, 9000})}}, "PoolKernel");
      check_lowered(large, {{bytes(noise, type, {1, 1, 125, 140})}}, "PoolKernel");
    }
    large.kernel = {130, 130};  // more than the kernel of bytes takes
    const Tensor x = bytes(noise, DatumType::u8, {1, 1, 131, 135});
    CHECK(lowered_names(large, {Fact::tensor(x.dtype(), x.shape())}) ==
          std::vector<std::string>{"Source", "CastKernel", "PoolKernel", "CastKernel"});
    check_lowered(large, {{x}}, "PoolKernel");
  }

  TEST_CASE("where the greatest of floats lie, in windows of any geometry") {
    Noise noise(18);
    for (const WindowRounding rounding : {WindowRounding::floor, WindowRounding::ceil})
      for (int round = 0; round < 120; ++round) {
        auto [pool, x] = any_windows(noise, rounding);
        pool.indices = PoolIndices::row_major;
        check_lowered(pool, {{noise.tensor(DatumType::f32, x)}}, "PoolPlacesKernel");
        pool.indices = PoolIndices::column_major;
        check_lowered(pool, {{noise.tensor(DatumType::f32, x)}}, "Pool");
      }
  }

  TEST_CASE(
      "the first of equal maxima, of zeros and of NaN has the place; padding alone has none") {
    constexpr float kInf = std::numeric_limits<float>::infinity(),
                    kNan = std::numeric_limits<float>::quiet_NaN();
    Pool pool{.kind = PoolKind::max, .kernel = {3}, .strides = {3}};
    pool.indices = PoolIndices::row_major;
    const Tensor x = Tensor::of<float>(
        {1, 1, 15}, {1, 2, 2, -0.0F, 0, -1, -kInf, -kInf, -kInf, kInf, kNan, kNan, kNan, kInf, 3});
    const auto places = [](const Pool& op, const Tensor& data) {
      return to_integers(op.eval(Tensors({&data, 1}))[1]);
    };
    CHECK(places(pool, x) == Shape{1, 3, 6, 10, 12});
    check_lowered(pool, {{x}}, "PoolPlacesKernel");
    pool.padding = {.kind = Padding::Kind::fixed, .amounts = {3, 0}};
    CHECK(places(pool, x) == Shape{-1, 1, 3, 6, 10, 12});
    check_lowered(pool, {{x}}, "PoolPlacesKernel");
  }

  TEST_CASE("places are of an image and maxima of f32, of as many axes as the windows have") {
    const PoolPlacesKernel places{.kernel = {2, 2}};
    const Fact x = image({1, 3, 8, 8}), y = image({1, 3, 7, 7}), row = image({1, 3, 7}),
               integers = Fact::tensor(DatumType::i64, Shape{1, 3, 7, 7});
    const auto facts_of = [&](const Fact& given, const Fact& most) {
      const Fact* in[] = {&given, &most};
      return places.output_facts(Facts(in));
    };
    CHECK(facts_of(x, y)[0] == integers);
    CHECK_THROWS_WITH_AS(facts_of(x, integers), doctest::Contains("f32 of rank 4, not"), Error);
    CHECK_THROWS_WITH_AS(facts_of(row, y), doctest::Contains("f32 of rank 4, not"), Error);
  }

  TEST_CASE("bytes are resized in f32 and rounded") {
    Noise noise(11);
    // Weights are sums of powers of two, so that f32 has halves where f64 has them.
    for (const auto& [type, least] : {std::pair{DatumType::u8, 0}, {DatumType::i8, -128}})
      for (const ResizeMode mode : {ResizeMode::nearest, ResizeMode::linear, ResizeMode::cubic})
        for (const std::vector<float>& scales : {std::vector<float>{1, 1, 2, 4}, {1, 1, 0.5F, 2}}) {
          CAPTURE(type);
          CAPTURE(mode);
          std::vector<std::int64_t> numbers(std::size_t{2} * 3 * 8 * 10);
          for (std::int64_t& number : numbers) number = noise.number(least, least + 255);
          const Tensor x = noise.integers(type, numbers).reshaped({2, 3, 8, 10});
          check_lowered(Resize{.mode = mode}, {{x}, {floats(scales), true}}, "ResizeKernel");
        }
  }

  TEST_CASE("bytes that are moved beside a number for what lies outside stay with the op") {
    check_lowered(Resize{.mode = ResizeMode::nearest,
                         .coordinates = ResizeCoordinates::tf_crop_and_resize,
                         .extrapolation = 1.7},
                  {{Tensor::of<std::uint8_t>({1, 1, 2, 2}, {1, 2, 3, 4})},
                   {floats({1, 1, 2, 2}), true},
                   {floats({0, 0, -1, -1, 1, 1, 2, 2}), true}},
                  "Resize");
  }

  TEST_CASE("a resize that changes nothing is gone") {
    CHECK(lowered_names(Resize{.mode = ResizeMode::linear}, {image({1, 3, 8, 8})},
                        {floats({1, 1, 1, 1})})
              .size() == 1);
  }

  TEST_CASE("deconvolutions of any geometry give what eval gives") {
    Noise noise(5);
    for (int round = 0; round < 120; ++round) {
      const auto axes = static_cast<std::size_t>(noise.number(1, 3));
      Deconv op{.group = noise.number(1, 2)};
      Shape x{noise.number(1, 2), op.group * noise.number(1, 3)}, w{x[1], noise.number(1, 3)};
      for (std::size_t i = 0; i < axes; ++i) {
        x.push_back(noise.number(1, 6)), w.push_back(noise.number(1, 4));
        op.strides.push_back(noise.number(1, 3)), op.dilations.push_back(noise.number(1, 2));
        op.output_padding.push_back(noise.number(0, 1));
      }
      switch (noise.number(0, 4)) {
        case 0:
          op.padding.kind = Padding::Kind::same_upper;
          break;
        case 1:
          op.padding.kind = Padding::Kind::same_lower;
          break;
        case 2:
          op.output_shape = noise.shape(axes, 1, 12);
          break;
        case 3:
          op.padding.amounts = noise.shape(2 * axes, 0, 1);
          break;
        default:
          break;
      }
      if (noise.number(0, 2) == 0) op.strides = Shape(axes, 2);  // not turned into a convolution
      if (std::ranges::all_of(op.strides, [](auto stride) { return stride == 1; })) continue;
      std::vector<KernelOperand> operands{{image_of(noise, x)}, {image_of(noise, w), true}};
      if (noise.number(0, 1) == 0) operands.push_back({image_of(noise, {w[1] * op.group}), true});
      CAPTURE(round);
      check_lowered(op, operands, "DeconvKernel", kProducts);
      operands[1].constant = false;
      check_lowered_when_fixed(op, operands, "DeconvKernel", kProducts);
    }
  }

  TEST_CASE("deconvolutions by other strides may share their weights") {
    Noise noise(8);
    const Tensor x = image_of(noise, {1, 3, 4, 5}), w = image_of(noise, {3, 2, 4, 4});
    TypedModel model;
    const OutletId image = model.add_source("x", Fact::of(x)), weights = model.constant("w", w);
    const Deconv ops[] = {{{2, 2}}, {{2, 4}}, {{4, 2}}, {{2, 2}, {2, 1}}};
    for (const Deconv& op : ops) {
      const std::string name = cat("y", model.outputs().size());
      model.add_output(name, model.wire_one(name, op, {image, weights}));
    }
    optimise(model);
    const ValueList operands{x, w}, inputs{x}, outputs = run_model(model, inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      check_close(outputs[i], TypedOp(ops[i]).eval(operands)[0], kProducts.relative,
                  kProducts.absolute);
  }

  TEST_CASE("a deconvolution with unit strides is the convolution with its weights turned") {
    Noise noise(6);
    for (const std::int64_t group : {1, 2})
      for (const Padding& padding :
           {Padding{}, Padding{Padding::Kind::fixed, {1, 0, 2, 1}}, Padding{Padding::Kind::valid}})
        for (const Shape& dilations : {Shape{}, Shape{2, 3}}) {
          const Deconv op{{}, dilations, padding, group, {0, 1}};
          check_lowered(op,
                        {{image_of(noise, {2, 2 * group, 5, 4})},
                         {image_of(noise, {2 * group, 3, 3, 2}), true},
                         {image_of(noise, {3 * group}), true}},
                        "ConvKernel", kProducts);
        }
    const Tensor w = image_of(noise, {2, 3, 3, 3});
    const Deconv cut{{}, {}, Padding{Padding::Kind::fixed, {3, 0, 0, 0}}};
    CHECK(has(lowered_names(cut, {image({1, 2, 5, 5})}, {w}), "DeconvKernel"));
    const Deconv same{{}, {}, Padding{Padding::Kind::same_upper, {}}};
    CHECK(has(lowered_names(same, {image({1, 2, 5, 5})}, {w}), "DeconvKernel"));
  }

  TEST_CASE("a deconvolution with weights of open sizes, or of f64, stays as it is") {
    const FactList open{image({1, 2, 5, 5}), image({2, Dim::symbol("M"), 2, 2})};
    CHECK(has(lowered_names(Deconv{{2, 2}}, open), "Deconv"));
    const FactList doubles{Fact::tensor(DatumType::f64, Shape{1, 2, 5, 5}),
                           Fact::tensor(DatumType::f64, Shape{2, 3, 2, 2})};
    CHECK(has(lowered_names(Deconv{{2, 2}}, doubles), "Deconv"));
  }

  TEST_CASE("activations are fused into deconvolutions") {
    Noise noise(7);
    const Tensor x = image_of(noise, {1, 3, 5, 6}), w = image_of(noise, {3, 2, 3, 3});
    const Deconv op{{2, 2}};
    for (const TypedOp& activation :
         {TypedOp(Unary{UnaryOp::relu}), TypedOp(Unary{UnaryOp::sigmoid}),
          TypedOp(Activation{ActivationKind::leaky_relu, 0.25F})}) {
      TypedModel model;
      const OutletId in = model.add_source("x", Fact::of(x));
      const OutletId y = model.wire("d", op, {in, model.constant("w", w)})[0];
      model.add_output("y", model.wire("y", activation, {y})[0]);
      optimise(model);
      std::size_t kernels = 0;
      for (const TypedNode& node : model.nodes()) kernels += node.op && node.op.has_kernel();
      CHECK(kernels == 1);
      const ValueList operands{x, w}, sums = TypedOp(op).eval(operands);
      const ValueList expected = activation.eval(sums), inputs{x};
      check_close(run_model(model, inputs)[0], expected[0], kProducts.relative, kProducts.absolute);
    }
  }
}
