#pragma once

#include <string>

#include "strata/core/ops/string_normalizer.h"

namespace strata {

/// The text with its letters in lower or upper case, by Unicode's full mappings that hold in all
/// languages: a letter may become several, and a sigma at the end of a word differs.
/// Throws: run_time when the text is not UTF-8; unsupported in a build without a Unicode library.
std::string with_unicode_case(const std::string& text, StringCase change);

}  // namespace strata
