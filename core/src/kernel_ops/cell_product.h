#pragma once

#include "kernel_ops/shared_work.h"
#include "kernel_ops/sweep.h"

namespace strata {

/// The number of rows in a state with `columns` per row.
inline kernels::Index rows_of(Span shape, std::int64_t columns) noexcept {
  return columns == 0 ? 0 : volume(shape) / columns;
}

/// The product of a state x, rows of k, and packed weights k x n.
struct CellProduct {
  kernels::Index rows = 0;
  kernels::Index k = 0;
  kernels::Index n = 0;
  const kernels::KernelTable& table;

  /// Floats in its result, rounded up so that what follows is aligned.
  kernels::Index size() const noexcept { return (rows * n + 15) / 16 * 16; }
  /// The product, without data.
  kernels::Gemm gemm() const noexcept {
    static constexpr float kPacked = 0;
    return {.m = rows, .n = n, .k = k, .packed_b = &kPacked};
  }
  std::size_t scratch_bytes() const { return table.gemm_scratch(gemm()); }
  /// Computes the columns [columns.begin, columns.end) of y, which must begin where the table
  /// allows it.
  void run(const float* x, const float* weights, float* y, void* scratch, Sweep sweep,
           kernels::Range columns) const noexcept {
    const kernels::Gemm gemm{
        .m = rows, .n = n, .k = k, .a = {x, k, 1}, .packed_b = weights, .c = y, .c_stride = n};
    sweep_columns(table, gemm, columns, sweep, scratch);
  }
  WorkSize work() const { return {flops(), sizeof(float) * static_cast<double>(n * k)}; }
  double flops() const {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(n) * static_cast<double>(k);
  }
};

/// A product of a step of a cell, whose columns are gates of `hidden` units.
struct CellStep {
  CellProduct product;
  kernels::Index hidden;
  const float* x;
  const float* weights;
  float* sums;
  Sweep sweep;

  /// The columns of some units, gate by gate.
  void run(kernels::Range units, void* scratch) const noexcept {
    const kernels::Index gates = product.n / hidden;
    for (kernels::Index i = 0; i < gates; ++i) {
      const kernels::Index first = (sweep == Sweep::forward ? i : gates - 1 - i) * hidden;
      product.run(x, weights, sums, scratch, sweep, {first + units.begin, first + units.end});
    }
  }
};

/// Runs the product and then `finish(units)` for the hidden units, in parts on all threads. The
/// caller's own scratch memory begins at `scratch`.
template <class Finish>
void run_units(const KernelIo& io, const CellStep& step, std::byte* scratch, const Finish& finish) {
  const CellProduct& product = step.product;
  const kernels::Index columns = product.table.gemm_column_step();
  const std::size_t parts = parts_of(io, product.work(), step.hidden / columns);
  if (parts == 1) {
    product.run(step.x, step.weights, step.sums, scratch, step.sweep, {0, product.n});
    return finish({0, step.hidden});
  }
  const bool cuts_gates = step.hidden % columns == 0;
  share(io, parts, product.scratch_bytes(), [&](Share share, std::byte* own) {
    if (cuts_gates) {
      const kernels::Range units = part_of(step.hidden, columns, share);
      step.run(units, own);
      finish(units);
    } else {
      product.run(step.x, step.weights, step.sums, own, step.sweep,
                  part_of(product.n, columns, share));
    }
  });
  if (!cuts_gates) finish({0, step.hidden});
}

/// A gate from some row and column on.
inline kernels::GateSum gate_from(kernels::GateSum gate, kernels::Index row,
                                  kernels::Index column) noexcept {
  gate.product += row * gate.product_stride + column;
  if (gate.added) gate.added += row * gate.added_stride + column;
  if (gate.bias) gate.bias += column;
  return gate;
}

/// The number of rows of `columns` values that a wire has, where its shape is known.
inline std::optional<kernels::Index> known_rows(const Fact& wire, std::int64_t columns) {
  const auto shape = wire.shape.concrete();
  return shape ? std::optional(rows_of(*shape, columns)) : std::nullopt;
}

/// Throws: invalid_model unless `wire` is f32 with rows of `columns` values, and with `rows` of
/// them where both numbers are known.
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
