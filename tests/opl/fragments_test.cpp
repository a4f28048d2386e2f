#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "strata/core/ops/pad.h"
#include "strata/core/session.h"
#include "strata/opl/model.h"
#include "support/op_case.h"

/// What fragments of tract's registries and of NNEF mean, by values worked out by hand or by the
/// formula alone.
namespace strata::opl {
namespace {

/// The outputs of `(y…) = right` for an f32 input x.
ValueList run(std::string_view shape, std::string_view outputs, std::string_view right,
              std::span<const float> x) {
  const std::string text =
      cat("version 1.0;\ngraph network(x) -> (", outputs, ") {\n  x = external(shape = ", shape,
          ");\n  (", outputs, ") = ", right, ";\n}\n");
  const TypedModel model = from_text(text);
  const Shape sizes = *model.input_fact(0).shape.concrete();
  return run_model(model, ValueList{Tensor::of<float>(sizes, x)});
}

void check(std::string_view shape, std::string_view right, std::vector<float> x, const Shape& size,
           std::vector<float> expected) {
  CAPTURE(right);
  const Tensor actual = run(shape, "y", right, x)[0].tensor();
  tests::check_close(actual, Tensor::of<float>(size, expected), 1e-5, 1e-6);
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Checks that {7} is padded in front with this number, once the Pad is written and read.
template <class T>
void check_padding(T value) {
  CAPTURE(value);
  TypedModel model;
  const Tensor number = Tensor::scalar(value);
  const OutletId x = model.add_source("x", Fact::tensor(number.dtype(), Shape{1}));
  const OutletId amounts = model.constant("amounts", Tensor::of<std::int64_t>({2}, {1, 0}));
  model.add_output("y", model.wire_one("y", Pad{}, {x, amounts, model.constant("n", number)}));
  const ValueList inputs{Tensor::of<T>({1}, {7})};
  const Tensor y = run_model(from_text(to_text(model)), inputs)[0].tensor();
  CHECK(y == Tensor::of<T>({2}, {value, 7}));
}

}  // namespace

TEST_CASE("tract_core_one_hot puts the new axis where it says") {
  check("[2]", "tract_core_one_hot(x, axis = 0, dim = 3)", {2, -3}, {3, 2}, {0, 1, 0, 0, 1, 0});
  check("[2]", "tract_core_one_hot(x, axis = 1, dim = 2, value_off = -1.0, value_on = 2.5)", {1, 0},
        {2, 2}, {-1, 2.5, 2.5, -1});
}

TEST_CASE("tract_core_cumsum, with and without the element itself, either way") {
  check("[3]", "tract_core_cumsum(x, axis = 0, exclusive = false, reverse = false)", {1, 2, 4}, {3},
        {1, 3, 7});
  check("[3]", "tract_core_cumsum(x, axis = 0, exclusive = true, reverse = true)", {1, 2, 4}, {3},
        {6, 4, 0});
}

TEST_CASE("tract_core_trilu keeps a triangle") {
  const std::vector<float> x{1, 2, 3, 4, 5, 6, 7, 8, 9};
  check("[3, 3]", "tract_core_trilu(x, 0, upper = true)", x, {3, 3}, {1, 2, 3, 0, 5, 6, 0, 0, 9});
  check("[3, 3]", "tract_core_trilu(x, 1, upper = false)", x, {3, 3}, {1, 2, 0, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("tract_core_scatter_elements and _nd join or replace elements") {
  check("[3]", "tract_core_scatter_elements(x, [0, -1], [5.0, 6.0], axis = 0, reduction = \"add\")",
        {1, 2, 3}, {3}, {6, 2, 9});
  check("[2, 2]", "tract_core_scatter_nd(x, [[1]], [[5.0, 6.0]], reduction = \"none\")",
        {1, 2, 3, 4}, {2, 2}, {1, 2, 5, 6});
  CHECK_THROWS_WITH_AS(
      run("[2]", "y", "tract_core_scatter_nd(x, [[1]], [5.0], reduction = \"sum\")",
          std::vector<float>{1, 2}),
      doctest::Contains("sum"), Error);
}

TEST_CASE("tract_core_rms_norm and _scaled_rms_norm divide by the root of the mean of squares") {
  const float by = static_cast<float>(std::sqrt(12.5 + 1));
  check("[2]", "tract_core_rms_norm(x, axis = 0, eps = 1.0)", {3, 4}, {2}, {3 / by, 4 / by});
  check("[2, 1]", "tract_core_scaled_rms_norm(x, [2.0, -1.0], axis = 0, eps = 1.0)", {3, 4}, {2, 1},
        {6 / by, -4 / by});
  check("[1, 2]", "tract_core_scaled_rms_norm(x, [2.0, -1.0], axis = 1, eps = 1.0)", {3, 4}, {1, 2},
        {6 / by, -4 / by});
}

TEST_CASE("tract_core_scaled_rms_norm rounds to the types of the graph that it stands for") {
  const Tensor y =
      run("[2]", "y",
          "tract_core_scaled_rms_norm(x, [1.0, 1.0], axis = 0, eps = 0.0, out_dt = \"f16\", "
          "scale_dt = \"f16\")",
          std::vector<float>{1, 1})[0]
          .tensor();
  CHECK(y.dtype() == DatumType::f16);
  CHECK(number_at(y, 0) == 1);
}

TEST_CASE("tract_core_clamped_swiglu clamps both operands") {
  const double gate = 2, up = -2;  // of 5 and -9, with a limit of 2
  const auto y = static_cast<float>((up + 1) * gate * sigmoid(0.5 * gate));
  check("[1]", "tract_core_clamped_swiglu(x, -9.0, alpha = 0.5, limit = 2.0)", {5}, {1}, {y});
}

TEST_CASE("tract_core_resize by scales and by sizes") {
  check("[2]", "tract_core_resize(x, scales = [2.0], interpolator = \"linear\")", {0, 4}, {4},
        {0, 1, 3, 4});
  check("[2]",
        "tract_core_resize(x, sizes = [3], coord_transformer = \"align_corners\", interpolator = "
        "\"linear\")",
        {0, 4}, {3}, {0, 2, 4});
  CHECK_THROWS_WITH_AS(run("[2]", "y", "tract_core_resize(x)", std::vector<float>{0, 4}),
                       doctest::Contains("either scales or sizes must be given"), Error);
}

TEST_CASE("tract_onnx_resize has what tract's core has not") {
  check("[2]",
        "tract_onnx_resize(x, [2.0], coord_transformer = \"asymmetric\", nearest_mode = \"ceil\")",
        {0, 4}, {4}, {0, 4, 4, 4});
}

TEST_CASE("NNEF's upsampling of the last axes") {
  check("[1, 2]", "nearest_upsample(x, factor = [2])", {1, 2}, {1, 4}, {1, 1, 2, 2});
  check("[1, 2]", "multilinear_upsample(x, factor = [2], method = \"symmetric\")", {0, 4}, {1, 4},
        {0, 1, 3, 4});
  CHECK_THROWS_WITH_AS(
      run("[2]", "y", "nearest_upsample(x, factor = [2, 2])", std::vector<float>{0, 4}),
      doctest::Contains("2 factors for 1 axes"), Error);
}

TEST_CASE("what NNEF makes of simpler fragments") {
  check("[2]", "rsqr(x)", {2, -4}, {2}, {0.25, 0.0625});
  check("[2]", "softabs(x, epsilon = 9.0)", {4, 0}, {2}, {5, 3});
  check("[2]", "selu(x)", {2, -1}, {2},
        {2.10140204F, static_cast<float>(1.05070102 * 1.67326319 * std::expm1(-1.0))});
  check("[1]", "silu(x)", {2}, {1}, {static_cast<float>(2 * sigmoid(2))});
  check("[1]", "gelu(x)", {2}, {1}, {static_cast<float>(1 + std::erf(std::sqrt(2.0)))});
  check("[2]", "l1_normalization(x, axes = [0], bias = 3.0)", {3, -4}, {2}, {0.3F, -0.4F});
  check("[2]", "l2_normalization(x, axes = [0])", {3, -4}, {2}, {0.6F, -0.8F});
  check("[2]", "l2_normalization(x, axes = [0], epsilon = 10.0)", {3, -4}, {2}, {0.3F, -0.4F});
  check("[1, 1, 2]", "rms_pool(x, size = [1, 1, 2], padding = [(0, 0), (0, 0), (0, 0)])", {1, 7},
        {1, 1, 1}, {5});
  check("[1, 1, 4]", "area_downsample(x, factor = [2])", {1, 3, 5, 9}, {1, 1, 2}, {2, 7});
  check("[1, 1, 5]", "nearest_downsample(x, factor = [2])", {1, 2, 3, 4, 5}, {1, 1, 3}, {1, 3, 5});
  const ValueList moments =
      run("[4]", "mean, variance", "moments(x, axes = [0])", std::vector<float>{1, 3, 5, 7});
  CHECK(number_at(moments[0].tensor(), 0) == doctest::Approx(4));
  CHECK(number_at(moments[1].tensor(), 0) == doctest::Approx(5));
  check("[2]", "log2(x)", {8, 0.5}, {2}, {3, -1});
  check("[3]", "clamp(x, -1.0, 2.0)", {-3, 0, 5}, {3}, {-1, 0, 2});
  check("[2]", "select(ne(x, 3.0), 1.0, 0.0)", {3, 4}, {2}, {0, 1});
  check("[2, 2]", "prelu(x, [[0.5, 2.0]])", {-4, 3, 5, -1}, {2, 2}, {-2, 3, 5, -2});
  check("[2]", "tract_core_pow_const(x, 3.0)", {2, -1}, {2}, {8, -1});
}

TEST_CASE("sums and copies of any number") {
  check("[1]", "add_n([x])", {2}, {1}, {2});
  check("[1]", "add_n([x, 10.0, x, 100.0, x])", {2}, {1}, {116});
  CHECK_THROWS_WITH_AS(run("[1]", "y", "add_n([])", std::vector<float>{1}),
                       doctest::Contains("element 0 of a list of 0"), Error);
  const ValueList copies = run("[1]", "a, b, c", "copy_n(x, times = 3)", std::vector<float>{7});
  for (const Value& copy : copies) CHECK(number_at(copy.tensor(), 0) == 7);
  CHECK_THROWS_WITH_AS(run("[1]", "y", "copy_n(x, times = 0)", std::vector<float>{1}),
                       doctest::Contains("0 copies"), Error);
  CHECK_THROWS_WITH_AS(run("[1]", "y", "copy_n(x, times = 1000000000000)", std::vector<float>{1}),
                       doctest::Contains("the limit of nodes"), Error);
}

TEST_CASE("local normalizations, whose windows keep the size") {
  // Means of three with zeros beside: 1, 3, 8/3. Roots of the means of squares: sqrt(9/3),
  // sqrt(45/3), sqrt(45/3).
  check("[1, 1, 3]", "local_mean_normalization(x, size = [1, 1, 3])", {0, 3, 6}, {1, 1, 3},
        {-1, 0, 3});
  const float a = std::sqrt(3.F), b = std::sqrt(15.F);
  check("[1, 1, 3]", "local_variance_normalization(x, size = [1, 1, 3])", {0, 3, 6}, {1, 1, 3},
        {0, 3 / b, 6 / b});
  check("[1, 1, 3]", "local_variance_normalization(x, size = [1, 1, 3], bias = 1.0)", {0, 3, 6},
        {1, 1, 3}, {0, 3 / (b + 1), 6 / (b + 1)});
  // Of -1, 0, 3, by sqrt(1/3), sqrt(10/3), sqrt(9/3).
  check("[1, 1, 3]", "local_contrast_normalization(x, size = [1, 1, 3])", {0, 3, 6}, {1, 1, 3},
        {-a, 0, a});
}

TEST_CASE("separable convolutions are one of each plane and one across them") {
  // Sums of two neighbours of a plane, of which the second counts double: 1 + 3 + 2 (2 + 4), then 5
  // of it and 1.
  check(
      "[1, 2, 2]",
      "separable_conv(x, [[[1.0, 1.0]], [[2.0, 2.0]]], [[[1.0], [1.0]]], 1.0, padding = [(0, 0)])",
      {1, 3, 2, 4}, {1, 1, 1}, {17});
  check("[1, 1, 2]",
        "separable_deconv(x, [[[1.0, 10.0]], [[2.0, 20.0]]], [[[1.0], [3.0]]], padding = [(0, 0)])",
        {1, 2}, {1, 2, 3}, {1, 12, 20, 6, 72, 120});
}

TEST_CASE("round takes halves away from zero, and no sum on the way is rounded") {
  check("[6]", "round(x)", {2.5F, -2.5F, 0.49999997F, 8388609, -8388609, -0.75F}, {6},
        {3, -3, 0, 8388609, -8388609, -1});
  const float infinity = std::numeric_limits<float>::infinity();
  check("[2]", "round(x)", {infinity, -infinity}, {2}, {infinity, -infinity});
  const Tensor half =
      run("[2]", "y", "round(tract_core_cast(x, to = \"f16\"))", std::vector<float>{1025, -1027})[0]
          .tensor();
  CHECK(number_at(half, 0) == 1025);
  CHECK(number_at(half, 1) == -1027);
  const Tensor whole =
      run("[2]", "y", "round(tract_core_cast(x, to = \"i32\"))", std::vector<float>{7, -8})[0]
          .tensor();
  CHECK(number_at(whole, 0) == 7);
  CHECK(number_at(whole, 1) == -8);
}

TEST_CASE("an output shape of a deconvolution, with the padding that is given or with any") {
  // 1 2 at every second place of -5, -4, each times 1, 2, 3: -5, -10, -15 - 4, -8, -12
  constexpr const char* kStart = "deconv(x, [[[1.0, 2.0, 3.0]]], 0.0, stride = [2], ";
  const std::vector<float> x{-5, -4};
  check("[1, 1, 2]", cat(kStart, "padding = [(1, 1)], output_shape = [1, 1, 4])"), x, {1, 1, 4},
        {-10, -19, -8, -12});
  check("[1, 1, 2]", cat(kStart, "padding = [(1, 1)], output_shape = [4])"), x, {1, 1, 4},
        {-10, -19, -8, -12});
  check("[1, 1, 2]", cat(kStart, "output_shape = [1, 1, 4])"), x, {1, 1, 4}, {-5, -10, -19, -8});
  const auto refuse = [&](std::string_view arguments, const char* says) {
    CHECK_THROWS_WITH_AS(run("[1, 1, 2]", "y", cat(kStart, arguments), x), doctest::Contains(says),
                         Error);
  };
  refuse("padding = [(1, 1)], output_shape = [2])", "the padding leaves 3 elements");
  refuse("padding = [(1, 1), (1, 1)], output_shape = [4])", "a padding of 2 for 1 spatial axes");
  refuse("padding = [(1, 1)], output_shape = [1, 4])", "an output shape of 2 for 1 spatial axes");
  refuse("padding = [(1, 1)], dilation = [4611686018427387904], output_shape = [4])", "overflows");
}

TEST_CASE("a bias of one number is for all channels") {
  check("[1, 1, 2]", "conv(x, [[[1.0]], [[2.0]]], [[0.5]])", {1, 3}, {1, 2, 2},
        {1.5, 3.5, 2.5, 6.5});
}

TEST_CASE("constants and literals have the type that they say") {
  check("[2, 2]", "tract_core_gather(x, constant<integer>(shape = [2], value = [1, 0]), axis = 1)",
        {1, 2, 3, 4}, {2, 2}, {2, 1, 4, 3});
  check("[2]", "select(constant<logical>(shape = [2], value = [true, false]), x, 0.0)", {1, 2}, {2},
        {1, 0});
  check("[2]", "x + constant(shape = [2], value = [3.0])", {1, 2}, {2}, {4, 5});
  check("[2]", "select(x > 0.0, 1, 0.5)", {1, -1}, {2}, {1, 0.5});
}

TEST_CASE("what gives a list gives one of a single result too") {
  check("[2]", "split(x, axis = 0, ratios = [1])[0]", {1, 2}, {2}, {1, 2});
  check("[1, 2]", "unstack(x, axis = 0)[0]", {1, 2}, {2}, {1, 2});
  check("[2]", "add_n(copy_n(x, times = 1))", {1, 2}, {2}, {1, 2});
  CHECK_THROWS_WITH_AS(run("[2]", "y", "x[0]", std::vector<float>{1, 2}),
                       doctest::Contains("has no elements"), Error);
}

TEST_CASE("a size out of a wire of sizes, and sizes put in place of axes") {
  check("[2, 3]", "x * tract_core_cast(shape_of(x)[0], to = \"f32\")", {1, 2, 3, 4, 5, 6}, {2, 3},
        {2, 4, 6, 8, 10, 12});
  check("[2, 3]",
        "reshape(x, shape = [slice(shape_of(x), axes = [0], begin = [0], end = [1]), -1], "
        "axis_start = 0, axis_count = 1)",
        {1, 2, 3, 4, 5, 6}, {2, 1, 3}, {1, 2, 3, 4, 5, 6});
  const TypedModel symbolic = from_text(
      "version 1.0;\nextension tract_symbol N;\ngraph network(x) -> (y) {\n  x = "
      "tract_core_external(shape = [N, 3], datum_type = \"f32\");\n  y = reshape(x, shape = [N, 3, "
      "1]);\n}\n");
  const Tensor x = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(run_model(symbolic, ValueList{x})[0].tensor().shape() == Shape{2, 3, 1});
}

TEST_CASE("integers beyond those of a float are padded with as they are, written and read") {
  for (const std::int64_t value :
       {std::int64_t{5}, std::int64_t{1} << 24, (std::int64_t{1} << 53) + 1,
        std::numeric_limits<std::int64_t>::min()})
    check_padding(value);
}

TEST_CASE("a padding of any type of numbers is written as it was read") {
  for (const DatumType type : {DatumType::boolean, DatumType::u8, DatumType::i32, DatumType::f16,
                               DatumType::f32, DatumType::f64}) {
    TypedModel model;
    const OutletId x = model.add_source("x", Fact::tensor(type, Shape{1}));
    const OutletId amounts = model.constant("amounts", Tensor::of<std::int64_t>({2}, {1, 0}));
    model.add_output("y", model.wire_one("y", Pad{}, {x, amounts}));
    const std::string text = to_text(model);
    CHECK(text.find(" y = pad(x, ") != std::string::npos);
    CHECK(to_text(from_text(text)) == text);
  }
}

TEST_CASE("a double that no float holds is padded with as it is, written and read") {
  for (const double value : {0.1, 0.5, 1e300, std::numeric_limits<double>::infinity()})
    check_padding(value);
}

TEST_CASE("paddings that pools do not have are refused") {
  CHECK_THROWS_WITH_AS(
      run("[1, 1, 2]", "y", "max_pool(x, size = [1, 1, 2], padding = [(1, 1), (0, 0), (0, 0)])",
          std::vector<float>{1, 2}),
      doctest::Contains("not supported: a padding of the batch"), Error);
}

TEST_CASE("what is wrong within what a fragment stands for is told where it is called") {
  const char* text =
      "version 1.0;\ngraph network(x) -> (y) {\n  x = external(shape = [2]);\n"
      "  y = softabs(\"x\");\n}\n";
  CHECK_THROWS_WITH_AS(from_text(text), doctest::Contains("graph.nnef:4:"), Error);
  CHECK_THROWS_WITH_AS(
      run("[2]", "y", "rms_pool(x, size = [1, 2], sise = 3)", std::vector<float>{1, 2}),
      doctest::Contains("rms_pool has no parameter \"sise\""), Error);
  CHECK_THROWS_WITH_AS(run("[2]", "y", "softabz(x)", std::vector<float>{1, 2}),
                       doctest::Contains("nearest is \"softabs\""), Error);
}

TEST_CASE("tract_core_grid_sample samples between elements") {
  check("[1, 1, 1, 2]", "tract_core_grid_sample(x, [[[[0.0, 0.0]]]], align_corners = true)", {1, 3},
        {1, 1, 1, 1}, {2});
}

TEST_CASE("the inverse of tract_core_fft does not divide") {
  check("[2, 2]", "tract_core_fft(x, axis = 0, inverse = false)", {1, 0, 3, 0}, {2, 2},
        {4, 0, -2, 0});
  check("[2, 2]", "tract_core_fft(x, axis = 0, inverse = true)", {4, 0, -2, 0}, {2, 2},
        {2, 0, 6, 0});
}

TEST_CASE("tract_core_stft multiplies each frame by the window in its middle") {
  // Of the real numbers 1 2 3 4, two at a time: the sum, and the first less the second.
  const std::vector<float> x{1, 0, 2, 0, 3, 0, 4, 0};
  check("[4, 2]", "tract_core_stft(x, axis = 0, frame = 2, stride = 2)", x, {2, 2, 2},
        {3, 0, -1, 0, 7, 0, -1, 0});
  check("[4, 2]", "tract_core_stft(x, axis = 0, frame = 2, stride = 2, window = [10.0])", x,
        {2, 2, 2}, {10, 0, 10, 0, 30, 0, 30, 0});
  CHECK_THROWS_WITH_AS(run("[4, 2]", "y", "tract_core_stft(x, axis = 0, frame = 5, stride = 2)", x),
                       doctest::Contains("frames of 5"), Error);
}

TEST_CASE("tract_core_stft asks for no more memory than is allowed") {
  Limits limits;
  limits.tensor_bytes = 1 << 20;
  CHECK_THROWS_WITH_AS(
      from_text("version 1.0; graph network(x) -> (y) { x = external(shape = [1000000, 2]); "
                "y = tract_core_stft(x, axis = 0, frame = 500000, stride = 1); }",
                limits),
      doctest::Contains("tensor_bytes"), Error);
}

TEST_CASE("tract_onnx_non_max_suppression takes a limit of 0 boxes for none") {
  const std::string right =
      "tract_onnx_non_max_suppression([[[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], [0.0, 2.0, "
      "1.0, 3.0]]], x, "
      "0, 0.5)";
  const Tensor picked = run("[1, 1, 3]", "y", right, std::vector<float>{1, 3, 2})[0].tensor();
  tests::check_close(picked, Tensor::of<std::int64_t>({2, 3}, {0, 0, 1, 0, 0, 2}), 0, 0);
}

TEST_CASE("tract_onnx_non_zero lists the places of numbers other than 0") {
  const Tensor places = run("[2, 2]", "y", "tract_onnx_non_zero(x, count_symbol = \"n\")",
                            std::vector<float>{0, 1, 2, 0})[0]
                            .tensor();
  tests::check_close(places, Tensor::of<std::int64_t>({2, 2}, {0, 1, 1, 0}), 0, 0);
}

TEST_CASE("labels that only an einsum's output has are axes of size 1") {
  check("[2, 2]", "tract_core_einsum([x], expr = \"ij->ajb\", acc = \"f32\")", {1, 2, 3, 4},
        {1, 2, 1}, {4, 6});
}

TEST_CASE("tract_core_lstm_epilogue has the gates in the order i, o, f, c") {
  const std::vector<float> sums{0.1F, 0.2F, 0.3F, 0.4F};
  const double c = sigmoid(0.3) * 0.5 + sigmoid(0.1) * std::tanh(0.4);
  const ValueList out =
      run("[1, 4]", "h, c", "tract_core_lstm_epilogue(x, [[0.5]], hidden = 1)", sums);
  CHECK(number_at(out[1].tensor(), 0) == doctest::Approx(c));
  CHECK(number_at(out[0].tensor(), 0) == doctest::Approx(sigmoid(0.2) * std::tanh(c)));
  CHECK_THROWS_WITH_AS(
      run("[1, 4]", "h, c", "tract_core_lstm_epilogue(x, [[0.5]], hidden = 2)", sums),
      doctest::Contains("4 gates of 2 are wanted"), Error);
  CHECK_THROWS_WITH_AS(
      run("[1, 4]", "h, c", "tract_core_lstm_epilogue(x, [0.5], hidden = 1)", sums),
      doctest::Contains("gates of rank 2 beside a state of rank 1"), Error);
}

TEST_CASE("tract_core_gru_epilogue has the gates in the order z, r, h") {
  const double z = sigmoid(0.1 + 0.4), r = sigmoid(0.2 + 0.5), h = std::tanh(0.3 + r * 0.6);
  check("[1, 3]", "tract_core_gru_epilogue(x, [[0.4, 0.5, 0.6]], [[0.7]], hidden = 1)",
        {0.1F, 0.2F, 0.3F}, {1, 1}, {static_cast<float>((1 - z) * h + z * 0.7)});
}

TEST_CASE("tract_core_gru_seq runs a layer either way, with its biases") {
  // Two steps of one number, one hidden: x W^T = (1, 2, 3) x, biases of x 0.1, of the state 0.2.
  const auto step = [](double x, double h) {
    const double z = sigmoid(x + 0.1 + 0.5 * h + 0.2), r = sigmoid(2 * x + 0.1 + 0.6 * h + 0.2);
    const double candidate = std::tanh(3 * x + 0.1 + r * (0.7 * h + 0.2));
    return (1 - z) * candidate + z * h;
  };
  const std::vector<float> x{0.3F, -0.4F};
  const auto layer = [&](int chunk) {
    return run(
        "[1, 2, 1]", "y, last",
        cat("tract_core_gru_seq(x = x, w = [[1.0], [2.0], [3.0]], r = [[0.5], [0.6], [0.7]], "
            "b = [[0.1, 0.1, 0.1, 0.2, 0.2, 0.2]], initial_h = [[[0.25]]], hidden = 1, has_bias = "
            "1, "
            "chunk = ",
            chunk, ")"),
        x);
  };
  const double first = step(0.3, 0.25), last = step(-0.4, first);
  const ValueList forward = layer(1);
  CHECK(forward[0].tensor().shape() == Shape{1, 2, 1});
  CHECK(forward[1].tensor().shape() == Shape{1, 1, 1});
  CHECK(number_at(forward[0].tensor(), 0) == doctest::Approx(first));
  CHECK(number_at(forward[0].tensor(), 1) == doctest::Approx(last));
  CHECK(number_at(forward[1].tensor(), 0) == doctest::Approx(last));
  const double behind = step(-0.4, 0.25);
  const ValueList backward = layer(-1);
  CHECK(number_at(backward[0].tensor(), 1) == doctest::Approx(behind));
  CHECK(number_at(backward[0].tensor(), 0) == doctest::Approx(step(0.3, behind)));
}

TEST_CASE("tract_core_gru_seq over rows that are multiplied already") {
  const double z = sigmoid(0.1 + 0.5 * 0.25), r = sigmoid(0.2 + 0.6 * 0.25);
  const double h = (1 - z) * std::tanh(0.3 + r * 0.7 * 0.25) + z * 0.25;
  const ValueList out = run("[1, 1, 3]", "y, last",
                            "tract_core_gru_seq(x = x, r = [[0.5], [0.6], [0.7]], initial_h = "
                            "[[[0.25]]], hidden = 1, chunk = 1, "
                            "projected = 1)",
                            std::vector<float>{0.1F, 0.2F, 0.3F});
  CHECK(number_at(out[1].tensor(), 0) == doctest::Approx(h));
}

}  // namespace strata::opl
