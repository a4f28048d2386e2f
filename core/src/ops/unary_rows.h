#pragma once

#include "strata/core/ops/unary.h"

namespace strata {

/// A function on each kind of number it is defined on; `test` is one on floats that gives a bool.
struct UnaryRow {
  UnaryOp op;
  double (*real)(double) = nullptr;
  std::int64_t (*whole)(std::int64_t) = nullptr;
  std::uint64_t (*natural)(std::uint64_t) = nullptr;
  bool (*truth)(bool) = nullptr;
  bool (*test)(double) = nullptr;
  Dim (*symbolic)(const Dim&) = nullptr;
};

const UnaryRow& unary_row(UnaryOp op);

}  // namespace strata
