#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "strata/core/tensor.h"

namespace strata::cli {

/// The array of an `.npy` file, versions 1.0 to 3.0; `file` names it in errors.
///
/// bool, integers, f2, f4, f8, c8, c16, `U` and `S` strings; big-endian numbers are swapped,
/// Fortran order is made row-major. Types numpy has no name for come as raw bytes: `V2` is read as
/// bf16, `V1` (and `f1`) as u8; see restored. Throws: file when it is damaged or holds another
/// type; limit when the tensor is too large.
Tensor read_npy(std::span<const std::byte> bytes, std::string_view file);

/// `tensor` as an `.npy` file, version 1.0.
///
/// What numpy lacks: bf16 is written as `V2`, 8-bit floats as `V1`, i4 and i2 as one `i1` an
/// element, u4 and u2 as one `u1`, f4e2m1 as one `V1` holding its four bits, dims as `i8`. Strings
/// are written as `U`, or as `S` when one is not UTF-8. Throws: invalid_argument for a string that
/// ends in NUL, which numpy cannot tell from padding.
std::string write_npy(const Tensor& tensor);

/// `read` as the type it had before write_npy: bytes become 8-bit floats or packed elements of
/// `wanted`; a tensor that is of that type already is returned as it is. Throws: invalid_argument
/// when `read` cannot be a written tensor of type `wanted`.
Tensor restored(const Tensor& read, DatumType wanted);

}  // namespace strata::cli
