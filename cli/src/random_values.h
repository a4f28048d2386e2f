#pragma once

#include <cstdint>

#include "strata/core/fact.h"

namespace strata::cli {

/// What random values are drawn from, for the reader of a log.
inline constexpr char kRandomDistribution[] =
    "floats uniform in [-1, 1), integers in 0 … 9 as far as their type goes, bools fair, strings "
    "of 1 "
    "to 8 letters";

/// Random values, the same for the same seed on every machine.
class RandomValues {
 public:
  explicit RandomValues(std::uint64_t seed) : state_(seed) {}
  /// A tensor of this type and shape.
  Tensor tensor(DatumType type, const Shape& shape);

 private:
  std::uint64_t next();
  Tensor numbers(DatumType type, const Shape& shape);
  Tensor words(const Shape& shape);

  std::uint64_t state_;
};

}  // namespace strata::cli
