#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata::onnx {

/// Raw data from this size on stays in the file.
inline constexpr std::size_t kBulkBytes = 4096;

/// Bytes [begin, end) of a file.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  auto operator<=>(const Stretch&) const = default;
};

/// A serialised ModelProto without its large raw data, so that parsing does not copy what takes most
/// of the file. Each tensor it is taken out of has a `segment` instead, which begins and ends where
/// the raw data does.
struct SlimModel {
  std::string bytes;
  std::vector<Stretch> taken;  ///< all large raw data, in the order of the file
};

/// Nothing where there is no such data, where a tensor that may have some has a segment of its own,
/// or where the file is not encoded as writers do; then it is to be parsed as it is.
/// Cost: messages too small for large raw data are skipped.
std::optional<SlimModel> without_bulk_data(std::span<const std::byte> file);

}  // namespace strata::onnx
