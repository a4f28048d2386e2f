#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "strata/core/tensor.h"

namespace strata::cli {

/// What the header of an `.npy` file says.
struct NpyHeader {
  char order = '|';         ///< `<`, `>`, `=` or `|`
  char kind = 'f';          ///< numpy's letter: b, i, u, f, c, U, S, V
  std::int64_t digits = 4;  ///< bytes of an element; of `U`, characters
  bool fortran_order = false;
  Shape shape;
  std::size_t data_offset = 0;
};

/// Throws: file with what is wrong, when `bytes` do not begin with a readable header.
NpyHeader read_npy_header(std::span<const std::byte> bytes, std::string_view file);

/// The bytes before the data of a row-major array whose dtype is `descr`, padded to a multiple
/// of 64.
std::string npy_header(std::string_view descr, std::span<const std::int64_t> shape);

}  // namespace strata::cli
