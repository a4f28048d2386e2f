#pragma once

#include "strata/core/optional_libraries.h"

namespace strata {

/// RE2's patterns and ICU's letters, those of them that the build found, for `provide_text`.
const TextLibrary* re2_and_icu_text();

}  // namespace strata
