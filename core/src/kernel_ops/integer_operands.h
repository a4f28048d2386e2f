#pragma once

#include "kernel_ops/kernel_op.h"
#include "kernels/int8.h"

/// Operands of products of bytes, and conversions of their results.
namespace strata {

/// bytes - zero, both as i32.
struct CentredBytes {
  OutletId bytes;           ///< u8 or i8
  OutletId zero = kAbsent;  ///< i32, never larger than the bytes; absent for none
};

/// The i32 wire as bytes less their zero points, if it is such a difference.
std::optional<CentredBytes> centred_bytes(const TypedModel& model, OutletId wire);
/// Whether each element of the i32 wire is known to be one of `type`.
bool holds_bytes(const TypedModel& model, OutletId wire, DatumType type);

/// Constant weights, each number a byte less the zero point of its row: the weights of one channel
/// or column of the output.
struct ByteWeights {
  Tensor bytes;                           ///< u8 or i8
  std::vector<std::int32_t> zeros = {0};  ///< one for all, or one per row

  std::int32_t zero_at(std::int64_t row) const {
    return zeros[zeros.size() == 1 ? 0 : static_cast<std::size_t>(row)];
  }
};
/// The i32 wire in this form, with rows along `axis`; nothing where it is not constant, or a row's
/// numbers are more than 255 apart.
std::optional<ByteWeights> byte_weights(const TypedModel& model, OutletId wire, std::size_t axis);

inline kernels::ByteKind byte_kind(DatumType type) {
  return type == DatumType::u8 ? kernels::ByteKind::u8 : kernels::ByteKind::i8;
}
inline bool is_bytes(const Fact& fact) {
  return fact.is_tensor() && (fact.dtype == DatumType::u8 || fact.dtype == DatumType::i8);
}
/// Computes an op that picks some bytes of input 0 on floats instead, which hold all bytes and
/// order them alike.
Rewrite in_floats(const NodeView& node, TypedOp op);

enum class ByteConversion : std::uint8_t {
  requantise,  ///< round(double(sum) * factor + offset) + zero; operands factor f64, offset f64
  quantise     ///< round((float(sum) * scale + bias) / divisor) + zero; operands scale, divisor and
               ///< bias (may be missing), all f32
};

/// How a kernel converts its sums before it stores them. As an attribute: its numbers.
///
///   i32      nothing
///   f32      float(sum) * scale + bias; operands scale f32, bias f32 (may be missing)
///   u8, i8   as `bytes` says, between least and greatest
///
/// Halves are rounded to even. Operands are one number, or stretch along one axis.
struct SumConversion {
  DatumType to = DatumType::i32;
  ByteConversion bytes = ByteConversion::requantise;
  std::int64_t zero = 0;
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  bool operator==(const SumConversion&) const = default;
};
inline std::int64_t output_bytes(const SumConversion& conversion) {
  return static_cast<std::int64_t>(bit_width(conversion.to) / 8);
}
AttrValue to_attr(const SumConversion& conversion);
void from_attr(const AttrValue& value, SumConversion& conversion);

/// The axes of an output for whose indices an operand of the conversion may have numbers.
struct OutputAxes {
  std::size_t row;
  std::size_t column;
};
/// `conversion` with its operands, for outputs of this shape.
kernels::SumFinish finish_of(const SumConversion& conversion, std::span<const TensorView> operands,
                             Span out, OutputAxes axes);
/// n columns, rounded up to whole panels.
inline std::int64_t whole_panels(const kernels::Int8Products& kernels, std::int64_t n) {
  return (n + kernels.column_step - 1) / kernels.column_step * kernels.column_step;
}
/// The words of memory that n numbers take, rounded up so that what follows is aligned.
inline std::int64_t aligned_words(std::int64_t n) { return (n + 15) / 16 * 16; }
/// Arithmetic that wraps.
inline std::int32_t wrapping(std::uint32_t x) { return static_cast<std::int32_t>(x); }

/// Hands out parts of scratch memory.
class ScratchWords {
 public:
  explicit ScratchWords(std::byte* memory) : next_(reinterpret_cast<std::int32_t*>(memory)) {}
  std::int32_t* take(std::int64_t words) {
    std::int32_t* out = next_;
    next_ += aligned_words(words);
    return out;
  }
  std::byte* rest() const { return reinterpret_cast<std::byte*>(next_); }

 private:
  std::int32_t* next_;
};

}  // namespace strata
