#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace strata {

/// What an image file says of its size.
struct ImageSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

/// Where the pixels of an image go: asked once for room for a size, as R, G, B bytes row by row,
/// before anything is decoded.
using MakeRoom = std::function<std::span<std::uint8_t>(ImageSize)>;

/// Decodes an image file of any known kind. Returns false, perhaps after asking for room, when it
/// cannot be decoded. Throws: unsupported in a build without image codecs; what `room` throws.
bool decode_image(std::span<const std::uint8_t> file, const MakeRoom& room);

}  // namespace strata
