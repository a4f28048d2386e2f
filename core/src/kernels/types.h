#pragma once

#include <cstdint>

#include "kernels/function_types.h"
#include "kernels/image_types.h"

/// Arguments of the f32 kernels: raw pointers, strides in elements, plain aggregates.
///
/// These headers are also included by the sources compiled for one instruction set, so they hold
/// no code: a function emitted there and shared by the linker would break older CPUs.
namespace strata::kernels {

/// A matrix in place: element (i, j) is `data[i * row_stride + j * column_stride]`.
struct MatrixView {
  const float* data = nullptr;
  Index row_stride = 0;
  Index column_stride = 1;
};

/// C = A B of doubles: element (i, j) of A is `a[i * a_row + j * a_column]`, and likewise for B; C
/// is dense, m by n; A has k columns.
struct GemmDoubles {
  const double* a = nullptr;
  Index a_row = 0, a_column = 1;
  const double* b = nullptr;
  Index b_row = 0, b_column = 1;
  double* c = nullptr;
  Index n = 0, k = 0;
  Index m = 0;  ///< 1 for a row, which is not packed
};

/// The half-open range [begin, end).
struct Range {
  Index begin = 0;
  Index end = 0;
};

enum class BiasKind { none, per_row, per_column };

/// What is done to each element of a product before it is stored: activation(x + residual + bias).
struct Epilogue {
  const float* bias = nullptr;
  BiasKind bias_kind = BiasKind::none;
  const float* residual = nullptr;  ///< added before the activation; may be the output itself
  Index residual_stride = 0;        ///< between rows of the residual
  UnaryFunction activation;
};

/// Floats of 16 bits.
enum class NarrowFloat { f16, bf16 };

/// How the numbers of a B lie: floats, narrow ones, or integers of a few bits with a scale and a
/// zero point for each column in each block of k.
///
/// A packed B of narrow floats is panels of `gemm_column_step` columns, each of k rows.
///
/// A packed B of such integers is panels of `gemm_column_step` columns, each [blocks][scales,
/// block * bits / 32 rows of words] and then the [blocks] zero points, which are bytes; the end of
/// a panel is filled up to 64 bytes. A word holds a column's next integers from its low bits up;
/// they are unsigned. What lies beyond k is 0.
struct NarrowForm {
  Index bits = 0;   ///< 2, 4 or 8, 16 for narrow floats; 0 for floats
  Index block = 0;  ///< of integers: a multiple of the 32 / bits that a word holds
  NarrowFloat floats = NarrowFloat::f16;
};

/// Rows rounded to bytes in the blocks of a NarrowForm: an element is about its byte times the
/// scale of its block.
struct RoundedRows {
  std::int8_t* bytes = nullptr;  ///< in the order in which words of the other operand meet them
  Index byte_step = 0;           ///< between rows
  float* scales = nullptr;       ///< [rows][blocks]
  float* sums = nullptr;         ///< [rows][blocks], of what the bytes stand for
  Index block_step = 0;          ///< between rows of scales and of sums
};

/// Products of rounded rows and NarrowForm's panels of 4 bits, or up to `most_bits`.
struct RoundedProducts {
  static constexpr Index kMostRows = 4;
  Index rows = 1;  ///< for which a panel is read once
  Index most_bits =
      4;  ///< of the integers: 4, or 8 where the CPU has instructions for sums of bytes
  /// Rounds k elements side by side into the first row of `out`; a block's scale is a 127th of its
  /// greatest magnitude. Up to 64 bytes more are written.
  void (*round)(const float* x, Index k, const NarrowForm& form, const RoundedRows& out) noexcept;
  /// sums[r][j] = the product of row r, one of up to `rows`, with column j of a panel.
  void (*multiply)(const RoundedRows& a, Index rows, const float* panel, Index k,
                   const NarrowForm& form, float* sums, Index sums_step) noexcept;
};

/// C = epilogue(A B), A of m x k, B of k x n, C with unit column stride.
struct Gemm {
  Index m = 0;
  Index n = 0;
  Index k = 0;
  MatrixView a;
  const float* packed_a = nullptr;  ///< from `pack_a`; takes the place of `a`
  MatrixView b;
  const float* packed_b = nullptr;           ///< from `pack_b`; takes the place of `b`
  NarrowForm narrow;                         ///< of `packed_b`
  const RoundedProducts* rounded = nullptr;  ///< not null: A is rounded for narrow numbers
  float* c = nullptr;
  Index c_stride = 0;
  Epilogue epilogue;
};

enum class GemmWay {
  tiles,
  row,     ///< one row times B, which is read once
  column,  ///< A times one column; A is read once
  dots     ///< A times few columns: vectors lie along k
};

/// How a product is computed.
struct GemmPlan {
  GemmWay way = GemmWay::tiles;
  Index rows = 1;     ///< of C that are computed at once, at most
  Index columns = 1;  ///< of C that are computed at once, at most
  Index depth = 0;    ///< steps of k between two passes over C
};

/// y[o][i] = op(a[o * a_outer + i * a_inner], b[o * b_outer + i * b_inner]); y is dense.
///
/// An inner stride is 1, or 0 for one value per row; an outer stride is free, 0 repeats a row.
struct BinaryCall {
  Binary op = Binary::add;
  Index outer = 1;
  Index inner = 0;
  const float* a = nullptr;
  Index a_outer = 0;
  Index a_inner = 1;
  const float* b = nullptr;
  Index b_outer = 0;
  Index b_inner = 1;
  float* y = nullptr;
};

/// y[o][i] = a[o][i] * b[o][i] + c[o][i], each rounded; strides as in BinaryCall, the inner one of
/// a is 1.
struct MultiplyAdd {
  Index outer = 1;
  Index inner = 0;
  const float* a = nullptr;
  Index a_outer = 0;
  const float* b = nullptr;
  Index b_outer = 0;
  Index b_inner = 1;
  const float* c = nullptr;
  Index c_outer = 0;
  Index c_inner = 1;
  float* y = nullptr;
};

/// A row is divided by the root of this: its variance, once its mean is subtracted, or the mean of
/// its squares as they are.
enum class NormForm { centred, root_mean_square };

/// y = (x - mean) / sqrt(variance + epsilon) * scale + bias over each row, or the same without the
/// mean.
struct LayerNorm {
  NormForm form = NormForm::centred;
  Index rows = 0;
  Index columns = 0;
  float epsilon = 0;
  const float* x = nullptr;
  const float* scale = nullptr;  ///< one per column, or null
  const float* bias = nullptr;   ///< one per column, or null
  /// Not 0: row r has scale and bias number (first + r) % channels instead, and there are both.
  Index channels = 0;
  Index first = 0;
  float* y = nullptr;
};

/// y[i] = condition[i] ? a[i * a_step] : b[i * b_step], elements of 32 bits of any kind.
struct SelectCall {
  Index n = 0;
  const bool* condition = nullptr;
  const float* a = nullptr;
  Index a_step = 1;  ///< 0 or 1
  const float* b = nullptr;
  Index b_step = 1;  ///< 0 or 1
  float* y = nullptr;
};

enum class Extreme { max, min };
/// Which of several equal extremes counts.
enum class Tie { first, last };

/// y[o][i] = the place of the extreme of x[o][..][i]; NaN is more extreme than any number.
struct ArgReduce {
  Extreme extreme = Extreme::max;
  Tie tie = Tie::first;
  Index length = 1;  ///< below 2^31
  Index inner = 1;
  const float* x = nullptr;
  std::int64_t* y = nullptr;
};

/// The k greatest, or least, of x[o][..][i], best first, and their places. Of equal elements the
/// first comes first; NaN counts as the greatest.
struct TopK {
  Extreme extreme = Extreme::max;
  Index length = 1;  ///< below 2^31
  Index inner = 1;
  Index k = 1;  ///< at most `length`
  const float* x = nullptr;
  float* values = nullptr;
  std::int64_t* places = nullptr;
};

enum class RunKind { sum, product };
enum class RunDirection { forward, backward };
/// Whether an element counts in its own total.
enum class RunBounds { inclusive, exclusive };

/// y[o][k][i] = the total of x[o][0..k][i].
struct Cumulate {
  RunKind kind = RunKind::sum;
  RunDirection direction = RunDirection::forward;
  RunBounds bounds = RunBounds::inclusive;
  Index outer = 1;
  Index length = 1;
  Index inner = 1;
  const float* x = nullptr;
  float* y = nullptr;
};

/// y[i] = whether the comparison holds for a[i] and b[i], numbers of 64 bits, i < n; a byte each.
using CompareRow = void (*)(const std::byte* a, const std::byte* b, std::byte* y, Index n) noexcept;
struct WideComparisons {
  CompareRow equal;
  CompareRow less;
  CompareRow less_or_equal;
};

enum class IntegerType { u8, i8, u16, i16, i32, i64 };

/// How n numbers go to 8 or 16 bits and back: element i has scale `scale[i * step]`, and its zero
/// point likewise.
struct Quantization {
  IntegerType type = IntegerType::u8;  ///< of 8 or 16 bits
  Index n = 0;
  const float* scale = nullptr;
  const void* zero = nullptr;  ///< of `type`; null: 0
  Index step = 0;              ///< 0 or 1
};

/// y = round(((a - a.zero) * a.scale + (b - b.zero) * b.scale) / scale) + zero, all of them bytes: y
/// saturates, and halves are rounded to even.
struct ByteSum {
  struct Operand {
    const std::uint8_t* data;
    bool is_signed;  ///< whether the bytes are i8 rather than u8
    float scale;
    std::int32_t zero;
  };
  Operand a, b;
  std::uint8_t* y = nullptr;  ///< may be a or b
  bool is_signed = false;
  float scale = 1;
  std::int32_t zero = 0;
  float error = 0;  ///< of a sum in floats, in steps, where it does not saturate
};

/// What a query from which the mask hides all keys becomes: NaN, as 0 / 0, or 0.
enum class HiddenQuery { nan, zero };

/// Elements from one head to the next.
struct HeadSteps {
  Index q = 0;
  Index k = 0;
  Index v = 0;
  Index mask = 0;
  Index y = 0;
};

/// The attention of some heads, which lie evenly spaced: y = softmax(cap(scale q k^T) + mask) v,
/// row by row, where cap(x) is cap * tanh(x / cap), or x where `cap` is 0. Any stride may be 0;
/// rows of y lie side by side.
struct Attention {
  Index queries = 0;
  Index keys = 0;
  Index depth = 0;  ///< of a query and a key
  Index width = 0;  ///< of a value
  MatrixView q;     ///< queries x depth
  MatrixView k;     ///< keys x depth
  MatrixView v;     ///< keys x width
  MatrixView mask;  ///< queries x keys; null for none
  float scale = 1;
  float cap = 0;
  HiddenQuery hidden = HiddenQuery::nan;
  float* y = nullptr;
  Index y_stride = 0;  ///< between rows
  Index heads = 1;
  HeadSteps steps;
};

/// The sums that one gate of a recurrent cell is a function of: product + added + bias, each with
/// `hidden` values per row.
struct GateSum {
  const float* product = nullptr;
  Index product_stride = 0;      ///< between rows
  const float* added = nullptr;  ///< or null
  Index added_stride = 0;        ///< between rows
  const float* bias = nullptr;   ///< the same for all rows, or null
};

/// One step of an LSTM, given the products of its state; rows of `hidden` values.
///
///   i, f, g = f_i(sum_i + p_i . c), f_f(sum_f + p_f . c), f_g(sum_g)
///   next_c = f . c + i . g
///   next_h = f_o(sum_o + p_o . next_c) . f_h(next_c)
struct LstmCell {
  Index rows = 0;
  Index hidden = 0;
  GateSum input;
  GateSum output;
  GateSum forget;
  GateSum candidate;
  const float* peepholes[3] = {};  ///< of input, output and forget; the same for all rows, or null
  UnaryFunction functions[5];      ///< of input, output, forget, candidate and next_c
  const float* c = nullptr;
  float* next_c = nullptr;
  float* next_h = nullptr;
};

/// Where the reset gate r of a GRU applies, and so what its candidate is.
enum class GruReset {
  after_product,  ///< g(added + r . (product + bias))
  before_product  ///< g(product + added + bias), the product being one of r . h
};

/// One step of a GRU, given the products of its state; rows of `hidden` values.
///
///   z, r = f(sum_z), f(sum_r)
///   next_h = (1 - z) . candidate + z . h
struct GruCell {
  Index rows = 0;
  Index hidden = 0;
  GruReset reset_kind = GruReset::after_product;
  GateSum update;
  GateSum reset;  ///< not read before_product
  GateSum candidate;
  UnaryFunction functions[3];  ///< of update, reset and candidate
  const float* h = nullptr;
  float* next_h = nullptr;
};

}  // namespace strata::kernels
