#pragma once

#include <initializer_list>

#include "strata/core/tensor.h"

/// Operands of a test that are integers, written down.
namespace strata::tests {

/// i32 of any shape.
inline Tensor numbers(Shape shape, std::initializer_list<std::int32_t> values) {
  return Tensor::of<std::int32_t>(std::move(shape), values);
}

/// i64 in a row.
inline Tensor integers(std::initializer_list<std::int64_t> values) {
  return Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

}  // namespace strata::tests
