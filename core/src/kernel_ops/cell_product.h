#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel_ops/kernel_op.h"

namespace strata {

/// The rows of a state of `columns` a row.
inline kernels::Index rows_of(Span shape, std::int64_t columns) noexcept {
  return columns == 0 ? 0 : volume(shape) / columns;
}

/// In which order the columns of the weights are gone through.
enum class Sweep { forward, backward };
/// The order for a step from `state` to `next`, of `size` values each: another one than in the step
/// before, so that the weights used last are used first while the cache still has them. From step to
/// step the two change places, or both move on by their size where all states are kept.
inline Sweep sweep_of(const float* state, const float* next, std::int64_t size) noexcept {
  const auto from = reinterpret_cast<std::uintptr_t>(state);
  const auto to = reinterpret_cast<std::uintptr_t>(next);
  const auto bytes = static_cast<std::uintptr_t>(size) * sizeof(float);
  const bool is_odd = to - from == bytes || from - to == bytes ? to / bytes % 2 != 0 : to < from;
  return is_odd ? Sweep::backward : Sweep::forward;
}
/// Steps of columns between two turns of a backward sweep.
inline constexpr kernels::Index kColumnsAtOnce = 4;

/// The product of a state x, rows of k, and packed weights k x n.
struct CellProduct {
  kernels::Index rows = 0;
  kernels::Index k = 0;
  kernels::Index n = 0;
  const kernels::KernelTable& table;

  /// Floats of its result, rounded up so that what follows is aligned.
  kernels::Index size() const noexcept { return (rows * n + 15) / 16 * 16; }
  std::size_t scratch_bytes() const {
    static constexpr float kPacked = 0;
    return table.gemm_scratch({.m = rows, .n = n, .k = k, .packed_b = &kPacked});
  }
  void run(const float* x, const float* weights, float* y, void* scratch,
           Sweep sweep) const noexcept {
    const kernels::Gemm gemm{
        .m = rows, .n = n, .k = k, .a = {x, k, 1}, .packed_b = weights, .c = y, .c_stride = n};
    if (rows != 1 || sweep == Sweep::forward) return table.gemm(gemm, {0, rows}, {0, n}, scratch);
    const kernels::Index step = kColumnsAtOnce * table.gemm_column_step();
    for (kernels::Index begin = (n - 1) / step * step; begin >= 0; begin -= step)
      table.gemm(gemm, {0, 1}, {begin, std::min(begin + step, n)}, scratch);
  }
  double flops() const {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(n) * static_cast<double>(k);
  }
};

/// The rows of `columns` values that a wire has, where its shape is known.
inline std::optional<kernels::Index> known_rows(const Fact& wire, std::int64_t columns) {
  const auto shape = wire.shape.concrete();
  return shape ? std::optional(rows_of(*shape, columns)) : std::nullopt;
}

/// Throws: invalid_model unless `wire` is f32, of rows of `columns` values, and of as many as `rows`
/// where both are known.
inline void check_rows(std::string_view op, const Fact& wire, std::int64_t columns,
                       std::optional<kernels::Index> rows) {
  check(is_f32(wire), op, " takes f32, not ", wire);
  if (wire.shape.is_open()) return;
  check(wire.shape.rank() > 0 && may_be_equal(wire.shape.dims().back(), Dim(columns)), op,
        " takes rows of ", columns, ", not ", wire);
  const auto known = known_rows(wire, columns);
  check(!rows || !known || *rows == *known, op, " takes ", rows.value_or(0), " rows, not ", wire);
}

}  // namespace strata
