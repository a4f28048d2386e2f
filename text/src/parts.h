#pragma once

#include "strata/core/optional_libraries.h"

namespace strata {

/// Fill in what RE2 gives, and what ICU gives.
TextLibrary with_re2(TextLibrary library);
TextLibrary with_icu(TextLibrary library);

}  // namespace strata
