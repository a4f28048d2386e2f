#include <leptonica/allheaders.h>

#include <memory>

#include "strata/images/images.h"

namespace strata {
namespace {

struct DestroyPix {
  void operator()(PIX* pix) const { pixDestroy(&pix); }
};
using Pix = std::unique_ptr<PIX, DestroyPix>;

/// Leptonica writes to stderr unless told not to, once for the process.
void silence() {
  static const l_int32 before = setMsgSeverity(L_SEVERITY_NONE);
  (void)before;
}

void copy_pixels(PIX* pix, const ImageSize& size, std::uint8_t* to) {
  const l_uint32* row = pixGetData(pix);
  for (std::int64_t y = 0; y < size.height; ++y, row += pixGetWpl(pix))
    for (std::int64_t x = 0; x < size.width; ++x) {
      l_int32 red = 0, green = 0, blue = 0;
      extractRGBValues(row[x], &red, &green, &blue);
      *to++ = static_cast<std::uint8_t>(red);
      *to++ = static_cast<std::uint8_t>(green);
      *to++ = static_cast<std::uint8_t>(blue);
    }
}

bool decode(std::span<const std::uint8_t> file, const MakeRoom& room) {
  silence();
  l_int32 kind = 0, width = 0, height = 0, bits = 0, samples = 0, has_palette = 0;
  if (file.empty() || pixReadHeaderMem(file.data(), file.size(), &kind, &width, &height, &bits,
                                       &samples, &has_palette) != 0)
    return false;
  if (width <= 0 || height <= 0) return false;
  const ImageSize size{width, height};
  const std::span<std::uint8_t> pixels = room(size);
  const Pix read(pixReadMem(file.data(), file.size()));
  if (!read) return false;
  const Pix colors(pixConvertTo32(read.get()));
  if (!colors || pixGetWidth(colors.get()) != width || pixGetHeight(colors.get()) != height)
    return false;
  copy_pixels(colors.get(), size, pixels.data());
  return true;
}

}  // namespace

const ImageLibrary* leptonica_images() {
  static constexpr ImageLibrary kLibrary{decode};
  return &kLibrary;
}

}  // namespace strata
