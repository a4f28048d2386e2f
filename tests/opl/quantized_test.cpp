#include <doctest/doctest.h>

#include "strata/core/ops/conv.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "strata/opl/model.h"

/// What tract's quantized products mean: values worked out by hand.
namespace strata::opl {
namespace {

/// `y = right` for the bytes x.
TypedModel net(std::string_view shape, std::string_view right) {
  return from_text(
      cat("version 1.0;\nextension tract_registry tract_core;\ngraph network(x) -> (y) {\n  x = "
          "tract_core_external(shape = ",
          shape, ", datum_type = \"u8\");\n  y = ", right, ";\n}\n"));
}

/// As it is and optimised.
void check(const TypedModel& model, const Tensor& x, const Tensor& expected) {
  CHECK(run_model(model, ValueList{x})[0].to_string() == Value(expected).to_string());
  TypedModel optimised = model;
  declutter(optimised);
  optimise(optimised);
  CHECK(run_model(optimised, ValueList{x})[0].to_string() == Value(expected).to_string());
}

/// A product of [1,2] by [2,2], whose numbers are `rest`.
std::string product(std::string_view rest) {
  return cat(
      "tract_core_einsum_q([x, tract_core_cast([[1, 2], [3, -4]], to = \"i8\")], acc = "
      "\"i32\", ",
      rest, ")");
}

const Tensor kBytes = Tensor::of<std::uint8_t>({1, 2}, {12, 7});

}  // namespace

TEST_CASE("tract_core_einsum_q subtracts zero points, adds the bias, and rounds halves to even") {
  // (x - 10) W = [2, -3] W = [-7, 16], and the bias; by .5 * 1 / 1
  const std::string scales = "a_scale = 0.5, b_scale = 1.0, c_scale = 1.0, a0 = 10, b0 = 0";
  check(net("[1, 2]",
            product(cat("expr = \"mk,kn,n,,,,,,->mn\", output = \"u8\", bias = [10, 9], c0 = 4, ",
                        scales))),
        kBytes, Tensor::of<std::uint8_t>({1, 2}, {4 + 2, 4 + 12}));  // 1.5 and 12.5
  check(net("[1, 2]",
            product(cat("expr = \"mk,kn,,,,,,,->mn\", output = \"i8\", bias = 0, c0 = -126, ",
                        scales))),
        kBytes, Tensor::of<std::int8_t>({1, 2}, {-128, -118}));  // -129.5 is beyond the type
}

TEST_CASE("tract_core_einsum_q with a number for each column, and as it stands for MatMulInteger") {
  check(net("[1, 2]",
            product("expr = \"mk,kn,,,,n,n,,->mn\", output = \"i8\", bias = 0, a0 = 10, "
                    "a_scale = 1.0, b0 = [0, 1], b_scale = [1.0, 2.0], c0 = 0, c_scale = 1.0")),
        kBytes, Tensor::of<std::int8_t>({1, 2}, {-7, 34}));  // [2 * 1 - 3 * -5] * 2
  TypedModel integers = net(
      "[1, 2]",
      product("expr = \"mk,kn,,,,,,,->mn\", output = \"i32\", bias = 0, a0 = 10, a_scale = 1.0, "
              "b0 = 0, b_scale = 1.0, c0 = 0, c_scale = 1.0"));
  check(integers, kBytes, Tensor::of<std::int32_t>({1, 2}, {-7, 16}));
  declutter(integers);
  bool is_product = false;
  for (const TypedNode& node : integers.nodes()) is_product |= node.op.as<MatMul>() != nullptr;
  CHECK(is_product);
}

TEST_CASE("tract_core_qconv calls the filter a and the input b") {
  // Two channels of one pixel: [12, 7] - 10, by weights [[[3]], [[-4]]] - 1 and [[[2]], [[5]]] - 1.
  const auto conv = [](std::string_view more) {
    return cat(
        "tract_core_qconv(x, tract_core_cast([[[3], [-4]], [[2], [5]]], to = \"i8\"), "
        "tract_core_cast([1, 2], to = \"i32\"), dilation = [1], stride = [1], border = "
        "\"constant\", groups = 1, padding = [(0, 0)], b0 = 10, b_scale = 0.5, a0 = 1, ",
        more, ")");
  };
  const Tensor x =
      kBytes.reshaped({1, 2, 1});  // sums 2 * 2 - 3 * -5 + 1 = 20, 2 * 1 - 3 * 4 + 2 = -8
  check(net("[1, 2, 1]", conv("a_scale = 0.5, c0 = 7, c_scale = 0.5, output_dt = \"u8\"")), x,
        Tensor::of<std::uint8_t>({1, 2, 1}, {17, 3}));
  check(net("[1, 2, 1]", conv("a_scale = [1.0, 2.0], c0 = 0, c_scale = 1.0, output_dt = \"i8\"")),
        x, Tensor::of<std::int8_t>({1, 2, 1}, {10, -8}));
}

TEST_CASE("what quantized products do not take is refused") {
  const std::string numbers =
      "bias = 0, a0 = 0, a_scale = 1.0, b0 = 0, b_scale = 1.0, c0 = 0, c_scale = 1.0";
  CHECK_THROWS_WITH_AS(
      net("[1, 2]", product(cat("expr = \"mk,kn->mn\", output = \"u8\", ", numbers))),
      doctest::Contains("nine terms"), Error);
  CHECK_THROWS_WITH_AS(
      net("[1, 2]", product(cat("expr = \"mk,kn,,,,,,,\", output = \"u8\", ", numbers))),
      doctest::Contains("and a result"), Error);
  CHECK_THROWS_WITH_AS(
      net("[1, 2]", product(cat("expr = \"mk,kn,z,,,,,,->mn\", output = \"u8\", ", numbers))),
      doctest::Contains("along such axes"), Error);
  CHECK_THROWS_WITH_AS(
      net("[1, 2]", product(cat("expr = \"mk,kn,,,,,,,->mn\", output = \"f32\", ", numbers))),
      doctest::Contains("quantized numbers as f32"), Error);
  CHECK_THROWS_WITH_AS(
      net("[1, 2]",
          product(cat("expr = \"mk,kn,,,,,,,->mn\", output = \"QU8(Z:0 S:0.1)\", ", numbers))),
      doctest::Contains("no element type"), Error);
}

TEST_CASE("what graph.quant quantises is read where the fragment says by what") {
  const auto loaded = [](std::string_view right, std::string_view quantisation) {
    const std::string text =
        cat("version 1.0;\nextension tract_registry tract_core;\ngraph network(x) -> (y) {\n  x = "
            "tract_core_external(shape = [1, 2], datum_type = \"u8\");\n  w = tract_core_cast([[1, "
            "2], [3, "
            "-4]], to = \"i8\");\n  y = ",
            right, ";\n}\n");
    const auto file = [](std::string_view bytes) {
      return FileBytes{std::as_bytes(std::span(bytes.data(), bytes.size())), {}};
    };
    return load(ArchiveFiles{{"graph.nnef", file(text)}, {"graph.quant", file(quantisation)}},
                "net");
  };
  const std::string line =
      "\"w\": zero_point_linear_quantize(zero_point = 3, scale = 0.01, bits = 8, signed = true, "
      "symmetric = "
      "false);\n";
  const std::string product =
      "tract_core_einsum_q([x, w], expr = \"mk,kn,,,,,,,->mn\", acc = \"i32\", output = \"i32\", "
      "bias = 0, a0 "
      "= 10, a_scale = 1.0, b0 = 0, b_scale = 1.0, c0 = 0, c_scale = 1.0)";
  check(loaded(product, "# by tract\n\n" + line), kBytes,
        Tensor::of<std::int32_t>({1, 2}, {-7, 16}));
  CHECK_THROWS_WITH_AS(loaded("tract_core_cast(w, to = \"f32\")", line),
                       doctest::Contains("tract_core_cast of \"w\", which graph.quant quantises"),
                       Error);
  CHECK_THROWS_WITH_AS(loaded("concat([w, w], axis = 0)", line),
                       doctest::Contains("concat of \"w\""), Error);
  CHECK_NOTHROW(loaded("tract_core_cast(x, to = \"f32\")", line));
  CHECK_THROWS_WITH_AS(loaded(product, "w: linear_quantize(max = 1, min = 0, bits = 8);"),
                       doctest::Contains("graph.quant: a name and its quantisation wanted"), Error);
}

}  // namespace strata::opl
