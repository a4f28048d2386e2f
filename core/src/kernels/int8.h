#pragma once

#include <cstdint>
#include <span>

#include "kernels/types.h"

namespace strata {
enum class Isa;
}

/// Products and convolutions of bytes, summed exactly in 32 bits, which wrap.
///
/// The weights of a convolution are stored as i8, its image as u8, and so are the left and the
/// right operand of most products; bytes of the other kind are moved by 128, and so must their zero
/// point be. A word is 32 bits, and holds bytes that are next to each other along the summed axis.
/// Zero points never touch the operands: they are corrections of the sums.
namespace strata::kernels {

enum class ByteKind { u8, i8 };

/// Bytes in place: element (i, j) is `data[i * row_stride + j * column_stride]`.
struct ByteMatrix {
  const void* data = nullptr;
  Index row_stride = 0;
  Index column_stride = 1;
  ByteKind kind = ByteKind::u8;
};

/// One number, one per row or one per column: that of element (i, j) is `data[i * row_step + j *
/// column_step]`; steps are 0 or 1, and not both 1.
template <class T>
struct Stretched {
  const T* data = nullptr;
  Index row_step = 0;
  Index column_step = 0;
};

/// Adds rows[i] * columns[j] to each sum (i, j).
struct SumTerm {
  const std::int32_t* rows = nullptr;  ///< null for nothing
  const std::int32_t* columns = nullptr;
};

enum class SumOutput {
  sums,      ///< i32
  floats,    ///< float(sum) * scale + bias
  bytes,     ///< round(double(sum) * factor + offset) + zero, between low and high
  quantised  ///< round((float(sum) * scale + bias) / divisor) + zero, between low and high
};

/// What is done to sums of products before they are stored. Arrays of one number per column are
/// read by whole panels, except those for what follows the sums.
struct SumFinish {
  const std::int32_t* row_add = nullptr;     ///< one per row, or null
  const std::int32_t* column_add = nullptr;  ///< one per column, or null
  SumTerm terms[2];
  SumOutput output = SumOutput::sums;
  Stretched<float> scale;
  Stretched<float> bias;  ///< null for none
  Stretched<float> divisor;
  Stretched<double> factor;
  Stretched<double> offset;
  std::int32_t zero = 0;
  std::int32_t low = 0;
  std::int32_t high = 255;
};

/// C = finish(A B), A of m x k, B of k x n.
struct Int8Product {
  Index m = 0;
  Index n = 0;
  Index k = 0;
  const std::int32_t* left = nullptr;   ///< from `pack_left`
  const std::int32_t* right = nullptr;  ///< from `pack_right`
  SumFinish finish;
  void* c = nullptr;
  Index c_stride = 0;  ///< elements between rows
};

/// One image and group of a convolution as it is read: [in_channels, in...]; or `shape.groups`
/// groups, at most `groups_at_once`.
struct Int8Image {
  ConvShape shape;
  const void* x = nullptr;
  ByteKind kind = ByteKind::u8;
  std::uint8_t padding = 0;  ///< the zero point as it is stored
};

/// y of one image and group, [out_channels, out...], or of some groups with all their channels.
/// Rows are channels; there are no columns.
struct Int8Conv {
  ConvShape shape;
  const std::int32_t* weights = nullptr;    ///< from the method's `pack_weights`
  const std::int32_t* image = nullptr;      ///< from `prepare_image`
  const Index* offsets = nullptr;           ///< from `image_offsets`
  const std::int32_t* row_zeros = nullptr;  ///< times the sum of a patch, added to a row; or null
  SumFinish finish;
  void* y = nullptr;
};

/// Numbers that kernels may read and write behind the last sum they finish.
inline constexpr Index kSumsSlack = 64;

enum class ByteConvWay {
  product,   ///< as a product of matrices, one of which is the image as it lies
  winograd,  ///< by Winograd's method
  planes     ///< along the padded plane of each channel, where an output sums up only one
};

/// One way to convolve bytes. Parts are parts of the outputs of each channel.
struct Int8ConvMethod {
  ByteConvWay way;
  /// Words that the packed weights of one group take, without what is put behind them.
  Index (*weights_size)(const ConvShape& shape) noexcept;
  /// Packs the weights of one group, [out_channels, in_channels, kernel...], for images of any
  /// size, into words that are zero.
  void (*pack_weights)(const ConvShape& shape, const void* weights, ByteKind kind,
                       std::int32_t* packed) noexcept;
  /// Words that packed weights need behind them, depending on what they are, and what fills these;
  /// null for none.
  Index (*more_weights)(const ConvShape& shape, const std::int32_t* packed) noexcept = nullptr;
  void (*pack_more)(const ConvShape& shape, std::int32_t* packed) noexcept = nullptr;
  /// Words that the image of one group, or of `groups_at_once`, takes when prepared for
  /// `parts_at_once`, and its independent planes.
  Index (*image_size)(const ConvShape& shape) noexcept;
  Index (*image_planes)(const ConvShape& shape) noexcept;
  /// Prepares some planes for `parts_at_once` from a multiple of it on, or, if the method
  /// `prepares_parts`, for some of these parts, which may have words in common with others.
  void (*prepare_image)(const Int8Image& image, Range planes, Range parts,
                        std::int32_t* prepared) noexcept;
  /// How many offsets there are, and the offsets: where in a prepared image the words of each step
  /// lie.
  Index (*image_steps)(const ConvShape& shape) noexcept;
  void (*image_offsets)(const ConvShape& shape, Index* offsets) noexcept;
  /// The number of groups side by side that an image is prepared for at once, and convolved.
  Index (*groups_at_once)(const ConvShape& shape) noexcept;
  /// A split of the channels among threads must begin each part at a multiple of this.
  Index (*channel_step)(const ConvShape& shape) noexcept;
  /// The number of parts that the outputs can be split into.
  Index (*parts)(const ConvShape& shape) noexcept;
  /// The number of successive parts that an image is prepared for at once.
  Index (*parts_at_once)(const ConvShape& shape) noexcept;
  bool prepares_parts = false;
  /// Computes some parts of some channels, which begin at a multiple of `channel_step`.
  void (*convolve)(const Int8Conv& conv, Range channels, Range parts) noexcept;
  /// Whether vectors hold a place of several channels, not several places; null for never.
  bool (*lies_across_channels)(const ConvShape& shape) noexcept = nullptr;
};

/// Products of matrices of bytes. As all kernels of bytes, none allocates, throws, or keeps state.
struct Int8Products {
  const char* name;
  /// The name of the kernel that a product uses; null where it is always `name`.
  const char* (*product_name)(Index m, Index k) noexcept = nullptr;
  /// What A and B are stored as: one of each.
  ByteKind left_kind = ByteKind::i8;
  ByteKind right_kind = ByteKind::u8;

  /// A split of the rows of C among threads must begin each part at a multiple of this.
  Index (*row_step)(Index m, Index k) noexcept;
  /// The same for columns: a panel.
  Index column_step;
  /// Words that a packed A and a packed B take.
  Index (*left_size)(Index m, Index k) noexcept;
  Index (*right_size)(Index k, Index n) noexcept;
  /// Packs some rows of A, and writes the sum of each as stored.
  void (*pack_left)(const ByteMatrix& a, Index m, Index k, Range rows, std::int32_t* packed,
                    std::int32_t* sums) noexcept;
  /// Packs some columns of B.
  void (*pack_right)(const ByteMatrix& b, Index k, Index n, Range columns,
                     std::int32_t* packed) noexcept;
  /// The sum of each column of a packed B, for whole panels.
  void (*column_sums)(const std::int32_t* packed, Index k, Index n, std::int32_t* sums) noexcept;
  /// Words that a packed B needs behind it, depending on what it is, or -1 where it does not suit;
  /// and what fills these, after the sums have been taken. Null for none.
  Index (*more_right)(const std::int32_t* packed, Index k, Index n) noexcept = nullptr;
  void (*pack_more)(std::int32_t* packed, Index k, Index n) noexcept = nullptr;
  /// Words that `multiply` may write to for up to m rows and n columns.
  Index (*multiply_scratch)(Index m, Index k, Index n) noexcept;
  /// Computes the given rows and columns of C.
  void (*multiply)(const Int8Product& product, Range rows, Range columns,
                   std::int32_t* scratch) noexcept;
};

/// The kernels of one instruction set.
struct Int8Kernels : Int8Products {
  /// Faster products with a constant B that suits them; null where there are none.
  const Int8Products* quads = nullptr;

  /// The name of the kernel that a convolution uses; null where it is always `name`.
  const char* (*conv_name)(const ConvShape& shape) noexcept = nullptr;
  /// The sum of each of some dense rows of bytes, as stored in the weights of a convolution.
  void (*row_sums)(const void* rows, Index count, Index size, ByteKind kind,
                   std::int32_t* sums) noexcept;
  /// How convolutions of this kind are computed, whatever the size of their image.
  const Int8ConvMethod& (*conv_method)(const ConvShape& shape) noexcept;

  /// Products of floats with integers of few bits; null on the baseline.
  const RoundedProducts* rounded = nullptr;
};

/// What is added to bytes of a kind, and to their zero point, to store them as those of another.
constexpr std::int32_t moved_by(ByteKind kind, ByteKind stored) {
  return kind == stored ? 0 : stored == ByteKind::u8 ? 128 : -128;
}

/// The best kernels of this CPU within `isa`; always the same ones.
const Int8Kernels& int8_kernels(Isa isa) noexcept;

/// All kernels that this CPU can run.
std::span<const Int8Kernels* const> supported_int8_kernels() noexcept;

}  // namespace strata::kernels
