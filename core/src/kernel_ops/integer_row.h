#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernel_ops/number_rows.h"
#include "strata/core/ops/unary.h"

namespace strata {

/// Functions of one integer, put together from those of two, which have loops made for each type.
class IntegerRow {
 public:
  /// For up to n numbers at a time.
  IntegerRow(UnaryOp op, DatumType type, std::int64_t n)
      : op_(op),
        type_(type),
        width_(static_cast<std::int64_t>(bit_width(type) / 8)),
        most_(std::min(n, kBytes / width_)) {
    std::memset(zero_, 0, bytes(most_));
    std::memset(all_bits_, 0xFF, bytes(most_));
    if (op == UnaryOp::sign) apply(BinaryOp::sub, zero_, all_bits_, one_, most_);
  }

  std::int64_t most() const { return most_; }
  void operator()(const std::byte* x, std::byte* y, std::int64_t n) {
    switch (op_) {
      case UnaryOp::neg:
        return apply(BinaryOp::sub, zero_, x, y, n);
      case UnaryOp::bitwise_not:
        return apply(BinaryOp::bit_xor, all_bits_, x, y, n);
      case UnaryOp::square:
        return apply(BinaryOp::mul, x, x, y, n);
      case UnaryOp::sign:
        if (is_signed_integer(type_)) {
          apply(BinaryOp::max, x, all_bits_, made_, n);
          x = made_;
        }
        return apply(BinaryOp::min, x, one_, y, n);
      case UnaryOp::abs:
        if (is_signed_integer(type_)) {
          apply(BinaryOp::sub, zero_, x, made_, n);
          return apply(BinaryOp::max, x, made_, y, n);
        }
        [[fallthrough]];
      default:  // relu
        return apply(BinaryOp::max, x, zero_, y, n);
    }
  }

 private:
  static constexpr std::int64_t kBytes = 1024;
  void apply(BinaryOp function, const std::byte* a, const std::byte* b, std::byte* y,
             std::int64_t n) const {
    fast_row(function, type_).row(a, b, y, n);
  }
  std::size_t bytes(std::int64_t n) const { return static_cast<std::size_t>(n * width_); }

  UnaryOp op_;
  DatumType type_;
  std::int64_t width_, most_;
  alignas(64) std::byte zero_[kBytes], all_bits_[kBytes], one_[kBytes], made_[kBytes];
};

}  // namespace strata
