#include "strata/core/ops/image_decoder.h"

#include <algorithm>
#include <optional>

#include "ops/operand_kinds.h"
#include "strata/core/ops/support.h"
#include "strata/core/optional_libraries.h"

namespace strata {
namespace {

constexpr std::int64_t kColors = 3;

std::int64_t channels(PixelFormat format) { return format == PixelFormat::grayscale ? 1 : kColors; }

void swap_red_and_blue(std::span<std::uint8_t> pixels) {
  for (std::size_t i = 0; i < pixels.size(); i += kColors) std::swap(pixels[i], pixels[i + 2]);
}

/// 0.299 R + 0.587 G + 0.114 B, rounded, with weights of 16 bits that add up to 1.
Tensor gray_of(const Tensor& colors) {
  MutableTensor out(DatumType::u8, {colors.shape()[0], colors.shape()[1], 1});
  const auto from = colors.as<std::uint8_t>();
  std::size_t i = 0;
  for (std::uint8_t& gray : out.as<std::uint8_t>()) {
    gray = static_cast<std::uint8_t>(
        (from[i] * 19595U + from[i + 1] * 38470U + from[i + 2] * 7471U + 0x8000U) >> 16U);
    i += kColors;
  }
  return std::move(out).freeze();
}

}  // namespace

FactList ImageDecoder::output_facts(Facts in) const {
  check_arity("(C1) ImageDecoder", in, 1, 1);
  check(in[0].dtype == DatumType::u8, "(C2) the stream is of ", in[0].dtype, ", not of u8");
  check(may_have_rank(in[0].shape, 1), "(C3) the stream has the shape ", in[0].shape);
  return {
      Fact::tensor(DatumType::u8, std::vector<Dim>{fresh_dim(), fresh_dim(), channels(format)})};
}

TensorList ImageDecoder::eval(Tensors in) const {
  check_data(in[0].rank() == 1, "(C3) the stream has the shape ", Span(in[0].shape()));
  const ImageLibrary* library = image_library();
  require(library != nullptr, ErrorKind::unsupported,
          "this program has no image codecs (strata::images)");
  std::optional<MutableTensor> out;
  const bool decoded = library->decode(in[0].as<std::uint8_t>(), [&](ImageSize size) {
    out.emplace(DatumType::u8, Shape{size.height, size.width, kColors});
    return out->as<std::uint8_t>();
  });
  if (!decoded) return {MutableTensor(DatumType::u8, {0, 0, channels(format)}).freeze()};
  if (format == PixelFormat::bgr) swap_red_and_blue(out->as<std::uint8_t>());
  const Tensor colors = std::move(*out).freeze();
  return {format == PixelFormat::grayscale ? gray_of(colors) : colors};
}

}  // namespace strata
