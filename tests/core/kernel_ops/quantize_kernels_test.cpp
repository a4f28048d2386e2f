#include <doctest/doctest.h>

#include <cmath>

#include "strata/core/ops/quantize.h"
#include "support/lowered.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr DatumType kTypes[] = {DatumType::u8, DatumType::i8, DatumType::u16, DatumType::i16};

Tensor scales(std::int64_t count) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(0.25F + static_cast<float>(i) * 0.07F);
  return Tensor::vector<float>(values);
}

Tensor numbers(Noise& noise, const Shape& shape) {
  std::vector<float> values;
  for (std::int64_t i = element_count(shape); i > 0; --i)
    values.push_back(static_cast<float>(noise.number(-4000, 4000)) * 0.03125F);
  return Tensor::of<float>(shape, values);
}

}  // namespace

TEST_SUITE("quantize kernels") {
  TEST_CASE("numbers that lie between two are rounded as their exact quotient is") {
    for (const float scale : {0.1F, 0.0123F, 3.3F, -0.7F, 1e-30F, 1e-38F, 1e30F}) {
      std::vector<float> values{NAN, INFINITY, -INFINITY, 0, 3e38F};
      for (const int middle : {0, -32768, 32767, 65535})
        for (int i = middle - 300; i <= middle + 300; ++i)
          for (const float towards : {-INFINITY, static_cast<float>(i), INFINITY}) {
            const float half = (static_cast<float>(i) + 0.5F) * scale;
            values.push_back(towards == static_cast<float>(i) ? half
                                                              : std::nextafter(half, towards));
          }
      const KernelOperand x{Tensor::vector<float>(values)}, by{Tensor::scalar(scale)};
      for (const DatumType type : kTypes)
        check_lowered(Quantize{.to = type}, {x, by, {cast(Tensor::scalar(9.0F), type), true}},
                      "QuantizeKernel");
    }
  }

  TEST_CASE("one scale for all, with and without a zero point") {
    Noise noise(1);
    for (const DatumType type : kTypes)
      for (const Shape& shape : {Shape{}, Shape{0}, Shape{5}, Shape{3, 70}}) {
        const KernelOperand scale{Tensor::scalar(0.125F)},
            zero{cast(Tensor::scalar(7.0F), type), true};
        const Tensor x = numbers(noise, shape), q = noise.tensor(type, shape);
        check_lowered(Quantize{.to = type}, {{x}, scale, zero}, "QuantizeKernel");
        check_lowered(Dequantize{}, {{q}, scale, zero}, "DequantizeKernel");
        check_lowered(Dequantize{}, {{q}, scale}, "DequantizeKernel");
        check_lowered(Quantize{.to = type}, {{x}, scale}, "QuantizeKernel");
      }
  }

  TEST_CASE("a scale for each index of any axis") {
    Noise noise(2);
    const Shape shape{3, 5, 34};
    for (const DatumType type : kTypes)
      for (const std::int64_t axis : {0, 1, 2, -1, -2}) {
        const std::int64_t count = shape[static_cast<std::size_t>(axis < 0 ? axis + 3 : axis)];
        const KernelOperand scale{scales(count), true}, zero{noise.tensor(type, {count}), true};
        check_lowered(Quantize{.to = type, .axis = axis}, {{numbers(noise, shape)}, scale, zero},
                      "QuantizeKernel");
        check_lowered(Dequantize{.axis = axis}, {{noise.tensor(type, shape)}, scale, zero},
                      "DequantizeKernel");
      }
  }

  TEST_CASE("NaN and infinities saturate as eval has it") {
    const std::vector<float> edges{NAN, INFINITY, -INFINITY, 0.0F, -0.0F, 3e38F, 0.5F, 1.5F, 2.5F};
    for (const DatumType type : kTypes)
      for (const float scale : {1.0F, 0.0F, -1.0F, 1e-30F})
        check_lowered(Quantize{.to = type},
                      {{Tensor::vector<float>(edges)}, {Tensor::scalar(scale)}}, "QuantizeKernel");
  }

  TEST_CASE("other types and blocks of scales are left to eval") {
    Noise noise(3);
    check_lowered(Quantize{.to = DatumType::i32}, {{numbers(noise, {4})}, {Tensor::scalar(0.5F)}},
                  "Quantize");
    check_lowered(Quantize{.to = DatumType::u8, .axis = 0, .block_size = 2},
                  {{numbers(noise, {4})}, {scales(2)}}, "Quantize");
    check_lowered(Dequantize{.axis = 0, .block_size = 2},
                  {{noise.tensor(DatumType::i8, {4})}, {scales(2)}}, "Dequantize");
  }
}
