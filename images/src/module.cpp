#include "strata/images/images.h"

/// What a program looks for in strata_images.so.
extern "C" [[gnu::visibility("default")]] const void* strata_image_library() {
  return strata::leptonica_images();
}
