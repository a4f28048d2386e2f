#pragma once

#include <algorithm>

#include "kernel_ops/kernel_op.h"

namespace strata {

/// A tensor seen as lanes along one axis: element k of lane i is at
/// `(i / inner * length + k) * inner + i % inner`.
struct LaneBlocks {
  static constexpr std::int64_t kMost = 64;  ///< lanes of a block
  std::int64_t outer, length, inner;

  LaneBlocks(Span shape, std::size_t axis)
      : outer(volume(shape.first(axis))),
        length(shape[axis]),
        inner(volume(shape.subspan(axis + 1))) {}

  /// Calls `visit(outer index, first inner index, count)` for blocks of lanes side by side.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t i = 0; i < inner; i += kMost) visit(o, i, std::min(kMost, inner - i));
  }
};

}  // namespace strata
