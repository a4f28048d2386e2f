#pragma once

#include <array>

#include "strata/core/typed_op.h"

namespace strata {

/// The channels of a decoded image, in order.
enum class PixelFormat : std::uint8_t { rgb, bgr, grayscale };

constexpr auto enumerators(PixelFormat) {
  using enum PixelFormat;
  return std::to_array<std::pair<PixelFormat, std::string_view>>(
      {{rgb, "RGB"}, {bgr, "BGR"}, {grayscale, "Grayscale"}});
}

/// The pixels of an encoded image: BMP, JPEG, JPEG 2000, TIFF, PNG, WebP or PNM.
///
///   input    stream   u8[bytes], the contents of an image file
///   output   u8[height, width, channels]; [0, 0, channels] for what cannot be decoded
///   source   ONNX ImageDecoder-20
///
/// Transparency is dropped. Gray is 0.299 R + 0.587 G + 0.114 B. A program without image codecs
/// (optional_libraries.h) fails with `unsupported` when it runs.
///
///   (C1) one input     (C2) bytes     (C3) a vector
struct ImageDecoder {
  static constexpr std::string_view name = "ImageDecoder";
  PixelFormat format = PixelFormat::rgb;

  static constexpr auto attributes() { return std::tuple{attr("format", &ImageDecoder::format)}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<ImageDecoder>);

}  // namespace strata
