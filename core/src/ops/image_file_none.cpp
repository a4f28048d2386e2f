#include "ops/image_file.h"
#include "strata/core/error.h"

namespace strata {

bool decode_image(std::span<const std::uint8_t>, const MakeRoom&) {
  fail(ErrorKind::unsupported, "this build has no image codecs (STRATA_IMAGES)");
}

}  // namespace strata
