#pragma once

#include <compare>

#include "strata/core/ops/binary.h"

namespace strata {

/// A function of two numbers on each kind of number it is defined on; `compare` turns an ordering,
/// whatever the kind, into a bool.
struct BinaryRow {
  BinaryOp op;
  double (*real)(double, double) = nullptr;
  std::int64_t (*whole)(std::int64_t, std::int64_t) = nullptr;
  std::uint64_t (*natural)(std::uint64_t, std::uint64_t) = nullptr;
  bool (*truth)(bool, bool) = nullptr;
  Dim (*symbolic)(const Dim&, const Dim&) = nullptr;
  bool (*compare)(std::partial_ordering) = nullptr;
};

const BinaryRow& binary_row(BinaryOp op);

}  // namespace strata
