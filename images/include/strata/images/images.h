#pragma once

#include "strata/core/optional_libraries.h"

namespace strata {

/// Leptonica's codecs, for `provide_images`.
const ImageLibrary* leptonica_images();

}  // namespace strata
