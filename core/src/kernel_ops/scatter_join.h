#pragma once

#include "kernel_ops/kernel_op.h"
#include "kernel_ops/number_rows.h"
#include "ops/scatter.h"

/// What ScatterNdKernel and ScatterElementsKernel share.
namespace strata {

/// Joins n elements of a type with those at `to`.
class ScatterJoin {
 public:
  ScatterJoin(ScatterReduction reduction, DatumType type);
  void operator()(std::byte* to, const std::byte* from, std::int64_t n) const {
    // A row function is not worth a call for only a few.
    if (n >= 8 && row_) return row_(to, from, to, n);
    one_by_one_(reduction_, to, from, n);
  }

 private:
  ScatterReduction reduction_;
  NumberRow row_;
  JoinElements one_by_one_;
};

/// Copies input 0 to the output, on several threads where that pays, unless it lies there already.
void copy_data(const KernelIo& io);

}  // namespace strata
