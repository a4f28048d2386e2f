#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "strata/core/tensor.h"

/// NNEF's tensor file: a header of 128 bytes, then the elements, row-major; all little-endian.
///
///     0  magic 4E EF, version 1, 0          44  bits of one item (u32)
///     4  bytes of the elements (u32)        48  item type (u16)
///     8  rank (u32)                         50  vendor of the item type (u16)
///    12  the first 8 dims (u32 each)        52  32 bytes and then 44 bytes, zero
///
///     vendor  item type  bits        element type
///     0       0          16 32 64    f16 f32 f64
///     0       1, 2       8 … 64      u8 … u64; written as 2, as tract does
///     0       3, 4       8 … 64      i8 … i64; written as 3, as tract does
///     0       5          1, 8        bool; 8 written; of 1 bit the first is the highest in a byte
///     "TR"    0          64 128      c64 c128, for a tract built with complex numbers
///     "TR"    0x1000     all ones    string: for each a u32 length and its bytes
///     "TR"    0x3040     all ones    Q4_0: numbers of 4 bits in blocks, see `read_blocks`
///     "TR"    0x2040     all ones    the same of an older tract
///     "ST"    1          16          bf16
///     "ST"    2          2, 4        u2 u4, packed: the first is the lowest of its byte
///     "ST"    3          2, 4        i2 i4, packed
///     "ST"    4          4           f4e2m1, packed
///     "ST"    5 … 9      8           f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz f8e8m0
///
/// Beyond what NNEF and tract take: a rank up to 19, whose dims from the ninth on stand from byte
/// 84; elements of 4 GiB and more, of whose byte count only the lowest 32 bits are kept.
namespace strata::opl {

/// The bytes of a tensor file. Throws: unsupported for dims as elements, a rank above 19 or a dim
/// of 2^32 and more.
std::string write_dat(const Tensor& tensor);

/// Reads the bytes of a tensor file; equal to what was written, to the bit.
///
/// With an `owner` of the bytes the tensor is a view of them where their alignment allows, and
/// keeps the owner alive. Throws: file where the bytes break the format or their number is wrong;
/// unsupported for other item types.
Tensor read_dat(std::span<const std::byte> bytes, std::string_view file_name,
                std::shared_ptr<const void> owner = nullptr);

/// Numbers of 4 bits that share a scale in blocks along the last axis.
struct Blocks {
  static constexpr std::int64_t kSize = 32;
  Tensor numbers;  ///< i4[.., k]
  Tensor scales;   ///< f32[.., k / kSize]
};

/// The elements of a file of tract's Q4_0; nothing where the file holds others.
///
/// A block has 18 bytes: its scale in f16, then the numbers plus 8, two in a byte: number i and
/// number i + 16, or in the older form two neighbours, the first in the low bits. Throws: file
/// where the bytes break the format.
std::optional<Blocks> read_blocks(std::span<const std::byte> bytes, std::string_view file_name);

}  // namespace strata::opl
