#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace strata::onnx {

/// Raw data from this size on stays in the file.
inline constexpr std::size_t kBulkBytes = 4096;

/// A serialised ModelProto without its large raw data, so that parsing does not copy what takes most
/// of the file. Each tensor it is taken out of has a `segment` instead, which begins and ends where
/// the raw data does in `file`.
///
/// Nothing where there is no such data, where a tensor has a segment of its own, or where the file is
/// not encoded as writers do; then it is to be parsed as it is.
std::optional<std::string> without_bulk_data(std::span<const std::byte> file);

}  // namespace strata::onnx
