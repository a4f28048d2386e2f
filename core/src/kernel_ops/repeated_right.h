#pragma once

#include <algorithm>
#include <cstddef>

#include "alignment.h"
#include "kernels/table.h"

namespace strata {

/// A right operand that several products in a row share, packed once for all but the first of them.
class RepeatedRight {
 public:
  /// For products like this one, with `batch_axes` axes of matrices.
  RepeatedRight(const kernels::KernelTable& table, kernels::Gemm gemm, std::size_t batch_axes)
      : table_(table), bytes_(table.gemm_scratch(gemm)) {
    const kernels::Index size = table.packed_b_size(gemm.k, gemm.n);
    if (gemm.packed_b || batch_axes == 0 || gemm.m < kFewRows || gemm.n == 1 || gemm.k > kOnePass ||
        size > kMostFloats)
      return;
    gemm.packed_b = &kSome;
    packed_at_ = aligned(std::max(bytes_, table.gemm_scratch(gemm)));
    bytes_ = packed_at_ + static_cast<std::size_t>(size) * sizeof(float);
  }

  /// Bytes of the products' scratch, the packed operand included.
  std::size_t scratch_bytes() const { return bytes_; }
  /// Makes the next product read the packed operand if the one before had the same operand.
  void pack(kernels::Gemm& gemm, std::byte* scratch) {
    if (packed_at_ == 0) return;
    const bool is_repeated = gemm.b.data == last_;
    last_ = gemm.b.data;
    if (is_repeated) {
      float* const packed = reinterpret_cast<float*>(scratch + packed_at_);
      if (!is_packed_) table_.pack_b(gemm.b, gemm.k, gemm.n, packed);
      gemm.packed_b = packed;
    }
    is_packed_ = is_repeated;
  }

 private:
  static constexpr kernels::Index kMostFloats = kernels::Index{1} << 15;
  /// Steps that kernels add up at once, whether the operand is packed or not: the sums are the same.
  static constexpr kernels::Index kOnePass = 512;
  static constexpr kernels::Index kFewRows = 4;  ///< fewer read the operand where it lies
  static constexpr float kSome = 0;              ///< stands for a packed operand

  const kernels::KernelTable& table_;
  std::size_t bytes_, packed_at_ = 0;  ///< where in scratch; 0 where packing would not pay
  const float* last_ = nullptr;
  bool is_packed_ = false;
};

}  // namespace strata
