#pragma once

#include <initializer_list>

#include "strata/core/value.h"

/// Operands of a test, written down.
namespace strata::tests {

inline Value floats(Shape shape, std::initializer_list<float> values) {
  return Tensor::of<float>(std::move(shape), values);
}

inline Value halves(Shape shape, std::initializer_list<float> values) {
  return cast(Tensor::of<float>(std::move(shape), values), DatumType::f16);
}

inline Value bytes(Shape shape, std::initializer_list<std::uint8_t> values) {
  return Tensor::of<std::uint8_t>(std::move(shape), values);
}

}  // namespace strata::tests
