#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "strata/core/value.h"

/// The matrix product behind the reference of MatMul, Einsum, Conv and Deconv: plain loops over
/// small tiles, in a form that compilers turn into vector code.
namespace strata {

/// A matrix in place: element (i, j) is data[i * row_step + j * column_step].
template <class T>
struct MatrixRef {
  const T* data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t row_step;
  std::int64_t column_step;

  MatrixRef transposed() const { return {data, columns, rows, column_step, row_step}; }
};

/// The type that values of `type` are multiplied and added in: narrow ones in 32 bits.
inline DatumType product_type(DatumType type) {
  if (bit_width(type) >= 32) return type;
  return is_float(type) ? DatumType::f32 : DatumType::u32;
}

/// Calls `visit(TypeTag<T>{})` with the element type of storage in which a product over elements of
/// a `product_type` is computed: integers as unsigned, so that they wrap. Throws: unsupported when
/// there is none.
template <class Visit>
void visit_product_type(DatumType type, Visit&& visit) {
  switch (type) {
    case DatumType::u32:
    case DatumType::i32:
      return visit(TypeTag<std::uint32_t>{});
    case DatumType::u64:
    case DatumType::i64:
      return visit(TypeTag<std::uint64_t>{});
    case DatumType::f32:
      return visit(TypeTag<float>{});
    case DatumType::f64:
      return visit(TypeTag<double>{});
    default:
      fail(ErrorKind::unsupported, "no product of matrices of type ", type);
  }
}

/// `product` of the operands in the type they are multiplied in, as a tensor of their own type.
template <class Product>
Tensor in_product_type(Tensors in, const Product& product) {
  const DatumType type = in[0].dtype(), wide = product_type(type);
  if (wide == type) return product(in);
  TensorList operands;
  for (const Tensor& tensor : in) operands.push_back(cast(tensor, wide));
  return cast(product(Tensors(operands)), type);
}

/// Whether products over `type` exist.
inline bool has_product(DatumType type) {
  return (is_integer(type) || is_float(type)) && !is_packed(type);
}

/// As many elements as 16 bytes hold, for which every 64-bit CPU has registers.
template <class T>
struct LanesOf {
  typedef T Type __attribute__((vector_size(16), aligned(alignof(T)), may_alias));
};
template <class T>
using Lanes = typename LanesOf<T>::Type;

inline constexpr std::int64_t kTileRows = 4;
/// In a row of a tile, whose sums stay in registers.
inline constexpr std::int64_t kTileVectors = 2;
template <class T>
inline constexpr std::int64_t kTileColumns = kTileVectors * 16 / sizeof(T);
/// Terms that are summed in the element type before the sum is widened.
inline constexpr std::int64_t kSumBlock = 256;

/// Rows [first, first + Width) of a matrix, column by column; zeros stand for rows past the last.
template <std::int64_t Width, class T>
void pack_rows(const MatrixRef<T>& m, std::int64_t first, T* to) {
  const std::int64_t rows = std::min(Width, m.rows - first);
  for (std::int64_t k = 0; k < m.columns; ++k)
    for (std::int64_t w = 0; w < Width; ++w)
      *to++ = w < rows ? m.data[(first + w) * m.row_step + k * m.column_step] : T{};
}

/// The left operand of any number of products: its rows in groups of kTileRows.
template <class T>
class LeftPanels {
 public:
  explicit LeftPanels(const MatrixRef<T>& m)
      : rows_(m.rows),
        depth_(m.columns),
        memory_(datum_type_of<T>, Shape{groups() * kTileRows * m.columns}) {
    T* to = memory_.template as<T>().data();
    data_ = to;
    for (std::int64_t g = 0; g < groups(); ++g)
      pack_rows<kTileRows>(m, g * kTileRows, to + g * kTileRows * depth_);
  }
  std::int64_t rows() const { return rows_; }
  std::int64_t depth() const { return depth_; }
  std::int64_t groups() const { return (rows_ + kTileRows - 1) / kTileRows; }
  const T* group(std::int64_t i) const { return data_ + i * kTileRows * depth_; }

 private:
  std::int64_t rows_;
  std::int64_t depth_;
  MutableTensor memory_;
  const T* data_ = nullptr;
};

/// What sums of blocks are added up in.
template <class T>
using WideSum = std::conditional_t<std::is_same_v<T, float>, double, T>;

template <class T>
struct ProductTile {
  WideSum<T> sum[kTileRows][kTileColumns<T>] = {};

  /// Adds the product of a group of left rows and a group of right columns.
  void add(const T* left, const T* right, std::int64_t depth) {
    for (std::int64_t from = 0; from < depth; from += kSumBlock) {
      const std::int64_t to = std::min(depth, from + kSumBlock);
      Lanes<T> part[kTileRows][kTileVectors] = {};
      for (std::int64_t k = from; k < to; ++k) {
        const auto* row = reinterpret_cast<const Lanes<T>*>(right + k * kTileColumns<T>);
#pragma GCC unroll 8
        for (std::int64_t r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 8
          for (std::int64_t v = 0; v < kTileVectors; ++v)
            part[r][v] += left[k * kTileRows + r] * row[v];
        }
      }
      T sums[kTileRows][kTileColumns<T>];
      std::memcpy(sums, part, sizeof sums);
      for (std::int64_t r = 0; r < kTileRows; ++r)
        for (std::int64_t c = 0; c < kTileColumns<T>; ++c) sum[r][c] += sums[r][c];
    }
  }
};

/// out[i * row_step + j] = sum over k of left(i, k) * right(k, j).
template <class T>
void multiply(const LeftPanels<T>& left, const MatrixRef<T>& right, T* out, std::int64_t row_step) {
  MutableTensor memory(datum_type_of<T>, Shape{kTileColumns<T> * left.depth()});
  T* group = memory.as<T>().data();
  for (std::int64_t column = 0; column < right.columns; column += kTileColumns<T>) {
    pack_rows<kTileColumns<T>>(right.transposed(), column, group);
    for (std::int64_t h = 0; h < left.groups(); ++h) {
      ProductTile<T> tile;
      tile.add(left.group(h), group, left.depth());
      const std::int64_t row = h * kTileRows;
      for (std::int64_t r = row; r < std::min(row + kTileRows, left.rows()); ++r)
        for (std::int64_t c = column; c < std::min(column + kTileColumns<T>, right.columns); ++c)
          out[r * row_step + c] = static_cast<T>(tile.sum[r - row][c - column]);
    }
  }
}

}  // namespace strata
